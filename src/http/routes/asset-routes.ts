import { AppError } from '../../errors.ts';
import { clientPackage, commandLinePackage } from '../../pages/downloads/packages.ts';
import { assetsPath, type PageAssets } from '../../pages/page-assets.ts';
import { sampleBook } from '../../pages/samples/sample-books.ts';
import { lazily } from '../../platform/lazily.ts';
import { unlisted } from '../schemas.ts';
import type { Server } from '../server.ts';

/** Styles and scripts of the pages. An address names a version, so a browser may keep what it got for ever. */
export function registerAssetRoutes(server: Server, assets: PageAssets): void {
  server.get(`${assetsPath}/:version/:name`, unlisted({}), async (request, reply) => {
    const { version, name } = request.params as { version: string; name: string };
    const asset = assets.get(name);
    if (!asset) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
    // During an update a page of the other version may ask: it gets ours, and does not keep it.
    if (version === assets.version) reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type(asset.mediaType).send(asset.body);
  });
}

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
    server.get(`/downloads/${name}`, unlisted({}), async (_request, reply) =>
      reply
        .type(mediaType)
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-cache')
        .send(made()),
    );
  }
}
