/** What a process answers over HTTP, by its role. */
import { type Config, consoleWay, type Role, settingsInWords } from './config.ts';
import { registerConsole } from './console/console.ts';
import type { ConsoleAccess } from './console/session.ts';
import type { EngineFinding } from './engines/check-engines.ts';
import { EngineChoiceError } from './engines/engine-file.ts';
import { engineChoice } from './engines/open-engines.ts';
import { registerErrorPages } from './http/error-pages.ts';
import { admissionOf, createGuard } from './http/guard.ts';
import { registerOpenapi } from './http/openapi.ts';
import { registerAccountRoutes } from './http/routes/account-routes.ts';
import { registerAssetRoutes, registerPackageRoutes } from './http/routes/asset-routes.ts';
import { registerCorrectionRoutes } from './http/routes/correction-routes.ts';
import { registerDownloadRoutes } from './http/routes/download-routes.ts';
import { registerEventRoutes } from './http/routes/event-routes.ts';
import { registerFrontRoutes } from './http/routes/front-routes.ts';
import { type OperationsRouteDependencies, registerOperationsRoutes } from './http/routes/operations-routes.ts';
import { registerReaderRoutes } from './http/routes/reader-routes.ts';
import { registerChapterRoutes, registerReaderLinkRoutes } from './http/routes/reading-routes.ts';
import { registerReferenceRoutes } from './http/routes/reference-routes.ts';
import { registerSeriesRoutes } from './http/routes/series-routes.ts';
import { registerTaskRoutes } from './http/routes/task-routes.ts';
import { registerWebhookRoutes } from './http/routes/webhook-routes.ts';
import { apiPrefix, createServer, type Server } from './http/server.ts';
import { forgetEngineMemory, readEngineMemories, testEngines } from './operators/engine-actions.ts';
import { listEngines } from './operators/engine-listing.ts';
import { createStageDetails } from './operators/engine-outages.ts';
import { Showcase } from './operators/showcase.ts';
import { checkSystem } from './operators/system-checks.ts';
import { loadPageAssets } from './pages/page-assets.ts';
import { type SampleLanguage, sampleBook } from './pages/samples/sample-books.ts';
import { registerAccountPages } from './partner-pages/account-pages.ts';
import { onBehalfOf } from './platform/fair-pool.ts';
import type { Db } from './platform/postgres.ts';
import type { Services } from './services.ts';
import { servedPairs } from './tasks/served-pairs.ts';

function operationsOf(services: Services, servesMetrics: boolean): OperationsRouteDependencies {
  const { config, storage, stopping } = services;
  return {
    ...services,
    isDraining: () => stopping.aborted,
    // An object store that is away for a moment must not take every API process out of the balancer with it.
    localStorage: config.storage === 'file' ? storage : undefined,
    metricsToken: config.metricsAccess === 'operator-token' ? config.operatorToken : undefined,
    servesMetrics,
  };
}

/** A worker answers health checks only; everything else is the API's. Returns what visitors may look at and try. */
export async function registerRoutes(server: Server, services: Services, role: Role): Promise<Showcase | undefined> {
  const { config, db, engines, sandboxEngines } = services;
  const showcase = role === 'worker' || config.tryIt === 'off' ? undefined : showcaseOf(services);
  await registerOpenapi(server);
  registerOperationsRoutes(server, operationsOf(services, config.metricsPort === undefined));
  if (role !== 'worker') {
    const assets = loadPageAssets();
    registerErrorPages(server, assets);
    registerAssetRoutes(server, assets);
    registerPackageRoutes(server);
    registerReaderRoutes(server, { ...services, assets });
    await registerAccountPages(server, { assets, db, publicUrl: config.publicUrl });
    const access = consoleAccess(config);
    if (access) {
      await registerConsole(server, {
        ...services,
        access,
        assets,
        dataDir: config.dataDir,
        settings: settingsInWords(config),
        listEngines: () => listEngines(engineChoice(config, 'elsewhere'), engines),
        testEngine: (name, actor) => testEngine(config, db, actor, name),
        engineMemories: () => readEngineMemories(db, engines),
        forgetEngine: (name, actor) => forgetEngineMemory(db, actor, engines, name),
        checkSystem: () =>
          checkSystem({
            db,
            dataDir: config.dataDir,
            databaseKind: config.databaseUrl ? 'external' : 'embedded',
            engines,
          }),
      });
    }
    registerFrontRoutes(server, {
      assets,
      publicUrl: config.publicUrl,
      pairs: () => servedPairs(engines),
      trial: showcase,
    });
    registerReferenceRoutes(server, { assets, publicUrl: config.publicUrl });
    const guard = createGuard(services);
    registerDownloadRoutes(server, { ...services, guard });
    await server.register(
      async (scope) => {
        const partner = scope as unknown as Server;
        partner.addHook('onRequest', guard);
        partner.addHook('onRequest', (request, _reply, done) =>
          onBehalfOf(admissionOf(request).caller.accountId, done),
        );
        registerAccountRoutes(partner, db, config.limits, (mode) =>
          servedPairs(mode === 'test' ? sandboxEngines : engines),
        );
        registerEventRoutes(partner, db);
        registerChapterRoutes(partner, db);
        registerWebhookRoutes(partner, { ...services, secretKey: services.webhookKey, policy: services.webhookPolicy });
        registerCorrectionRoutes(partner, services);
        registerReaderLinkRoutes(partner, services);
        registerSeriesRoutes(partner, services);
        registerTaskRoutes(partner, { ...services, stageDetail: createStageDetails(services) });
      },
      { prefix: apiPrefix },
    );
  }
  await server.ready();
  return showcase;
}

/** @throws NOT_FOUND */
async function testEngine(config: Config, db: Db, actor: string, name: string): Promise<EngineFinding> {
  try {
    const [finding] = await testEngines(db, actor, engineChoice(config, 'needed'), name);
    return finding as EngineFinding;
  } catch (error) {
    // An API process may run without the keys of engines, which its workers have.
    if (error instanceof EngineChoiceError) return { engine: name, ok: false, finding: error.message };
    throw error;
  }
}

/** Undefined = there is no console: others could reach it, and nothing would keep them out. */
function consoleAccess(config: Config): ConsoleAccess | undefined {
  const way = consoleWay(config);
  return way && { way, token: config.operatorToken, publicUrl: config.publicUrl };
}

/** Health and metrics on a port that the world need not reach. */
export async function openMetricsServer(services: Services): Promise<Server> {
  const { log, metrics, stopping } = services;
  const server = createServer({ log, metrics, trustProxy: false, isDraining: () => stopping.aborted });
  registerOperationsRoutes(server, operationsOf(services, true));
  await server.ready();
  return server;
}

const samplePairs = [
  { sourceLang: 'fr', targetLang: 'en' },
  { sourceLang: 'es', targetLang: 'en' },
  { sourceLang: 'en', targetLang: 'fr' },
  { sourceLang: 'en', targetLang: 'es' },
  { sourceLang: 'en', targetLang: 'de' },
] as const;

/** With the first page of a sample that an engine serves; without one, visitors may still try a paragraph. */
function showcaseOf(services: Services): Showcase {
  const pair = samplePairs.find((each) => services.engines.enginesFor(each).length > 0);
  return new Showcase(services, pair && { ...firstPage(pair.sourceLang), ...pair });
}

function firstPage(language: SampleLanguage): { text: string; title: string } {
  const { chapters, name } = sampleBook(language);
  const plain = (chapters[0]?.paragraphs ?? []).filter((paragraph) => /^[^>[]/.test(paragraph));
  const text = plain
    .slice(0, 8)
    .join('\n\n')
    .replace(/\*|\[\^\d+\]/g, '');
  return { text, title: name };
}
