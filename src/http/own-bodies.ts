/** Routes that read and judge their body themselves. */
import Type from 'typebox';
import type { Server } from './server.ts';

export function withOwnParsers(server: Server, register: (scope: Server) => void): void {
  void server.register(async (plugin) => {
    const scope = plugin as unknown as Server;
    scope.removeAllContentTypeParsers();
    register(scope);
  });
}

/** The schema of the body is for the document alone. */
export const unvalidated = { validatorCompiler: () => () => true };

/** The route reads the raw stream, under its own limits. */
export function leaveUnread(scope: Server): void {
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** A body that is read where it holds up nobody. */
export function takeWhole(scope: Server, types: string | string[], form: string, bodyLimit: number): void {
  scope.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit }, async (_request: unknown, body: Buffer) => ({
    form,
    body,
  }));
}

export function binaryBodies(types: readonly string[]) {
  return Object.fromEntries(types.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]));
}
