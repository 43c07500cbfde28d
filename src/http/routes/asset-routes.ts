import { AppError } from '../../errors.ts';
import { assetsPath, type PageAssets } from '../../pages/page-assets.ts';
import type { Server } from '../server.ts';

/** Styles and scripts of the pages. An address names a version, so a browser may keep what it got for ever. */
export function registerAssetRoutes(server: Server, assets: PageAssets): void {
  server.get(`${assetsPath}/:version/:name`, { schema: { hide: true } }, async (request, reply) => {
    const { version, name } = request.params as { version: string; name: string };
    const asset = assets.get(name);
    if (!asset) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
    // During an update a page of the other version may ask: it gets ours, and does not keep it.
    if (version === assets.version) reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type(asset.mediaType).send(asset.body);
  });
}
