/**
 * An engine server whose refusals quote the caller's key and the text, as some real servers do. It passes other calls on to a
 * simulated server.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface IndiscreetEngine {
  /** Base for an `openai-compatible` engine. */
  url: string;
  /** Statuses for the next calls; empty = all calls go to the simulated server. */
  faults: readonly number[];
  /** Keys that callers sent. */
  keysSeen: Set<string>;
  stop(): Promise<void>;
}

export async function startIndiscreetEngine(behindUrl: string): Promise<IndiscreetEngine> {
  let calls = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const authorization = request.headers.authorization ?? '';
    engine.keysSeen.add(authorization.replace('Bearer ', ''));
    const status = engine.faults[calls++ % Math.max(1, engine.faults.length)];
    const quoted = `You sent ${authorization} with ${JSON.stringify(request.headers)} and ${body}`;
    if (status === 200) {
      // Not a valid answer: parsers tend to quote what they cannot read.
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"choices": ${quoted}`);
    } else if (status !== undefined) {
      const headers = { 'content-type': 'application/json', 'x-echo': authorization };
      response
        .writeHead(status, headers)
        .end(JSON.stringify({ error: { message: quoted, type: quoted, code: quoted, param: quoted } }));
    } else {
      const path = request.url?.replace(/^\/v1/, '') ?? '';
      const answer = await fetch(behindUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    }
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const engine: IndiscreetEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    faults: [],
    keysSeen: new Set(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return engine;
}
