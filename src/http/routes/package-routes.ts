import type { FastifyReply } from 'fastify';
import { clientPackage, commandLinePackage } from '../../pages/downloads/packages.ts';
import type { Server } from '../server.ts';

/** `npm install <this service>/downloads/…`: client and command line are on no registry. */
export function registerPackageRoutes(server: Server): void {
  const packages = { 'toledo-client.tgz': clientPackage, 'toledo-cli.tgz': commandLinePackage };
  for (const [name, make] of Object.entries(packages)) {
    let made: Buffer | undefined;
    server.get(`/downloads/${name}`, { schema: { hide: true } }, async (_request, reply: FastifyReply) => {
      made ??= make();
      return reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-cache')
        .send(made);
    });
  }
}
