import { clientPackage, commandLinePackage } from '../../pages/downloads/packages.ts';
import { sampleBook } from '../../pages/samples/sample-books.ts';
import { lazily } from '../../platform/lazily.ts';
import type { Server } from '../server.ts';

const gzip = 'application/gzip';
const epub = 'application/epub+zip';

/** `npm install <this service>/downloads/…`: client and command line are on no registry. And books to try them with. */
export function registerPackageRoutes(server: Server): void {
  const files: [name: string, mediaType: string, make: () => Uint8Array][] = [
    ['toledo-client.tgz', gzip, clientPackage],
    ['toledo-cli.tgz', gzip, commandLinePackage],
    ['sample.epub', epub, () => sampleBook('en').epub],
    ['sample-fr.epub', epub, () => sampleBook('fr').epub],
    ['sample-es.epub', epub, () => sampleBook('es').epub],
  ];
  for (const [name, mediaType, make] of files) {
    const made = lazily(() => Buffer.from(make()));
    server.get(`/downloads/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type(mediaType)
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-cache')
        .send(made()),
    );
  }
}
