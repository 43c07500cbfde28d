import type { FastifyRequest } from 'fastify';
import { type EngineListing, ranksInWords } from '../operators/engine-listing.ts';
import type { Overview } from '../operators/overview.ts';
import { html } from '../pages/html.ts';
import { type ConsoleFrame, changeForm, consolePage, table, tag } from './console-page.ts';
import { type ConsoleRoutes, type ConsoleServices, param } from './console-routes.ts';
import { engineTable } from './overview-page.ts';

/** @param overview as it is now */
export function registerEnginesPage(
  { page, change }: ConsoleRoutes,
  { listEngines, testEngine }: ConsoleServices,
  overview: () => Promise<Overview>,
): void {
  const show = async (_request: FastifyRequest, frame: ConsoleFrame) =>
    enginesPage(frame, listEngines(), await overview());
  page('/engines', show);
  change('/engines/:name/test', {
    async apply(request, actor) {
      const name = param(request, 'name');
      const { ok, finding } = await testEngine(name, actor);
      return { tone: ok ? 'good' : 'bad', text: `${name}: ${finding}` };
    },
    back: () => '/console/engines',
    show,
  });
}

function enginesPage(
  frame: ConsoleFrame,
  listing: EngineListing,
  now: Pick<Overview, 'engines' | 'usedToday'>,
): string {
  const body = html`<h1>Engines</h1>
<section class="card"><h2>Configured</h2>${table(
    ['Engine', 'Kind', 'Model and prompt', 'Serves', 'At once', 'Test'],
    listing.engines.map((engine) => [
      html`<b>${engine.name}</b>${engine.problem !== undefined && html`<br>${tag('does not work here', 'bad')} ${engine.problem}`}`,
      engine.kind,
      html`${engine.model !== '' && html`<span class="breakable">${engine.model}</span><br>`}<code class="small breakable">${engine.revision}</code>`,
      engine.serves,
      engine.maxConcurrency,
      changeForm(
        frame,
        `/console/engines/${encodeURIComponent(engine.name)}/test`,
        html`<button>Test ${engine.name}</button>`,
      ),
    ]),
    'There is no engine.',
  )}<p class="muted small">A test is one real call with a short sentence. It may cost a few tokens.</p></section>
<section class="card"><h2>Routes</h2>${table(
    ['From', 'Into', 'Engines in order'],
    listing.routes.map((route) => [route.source, route.target, ranksInWords(route.engines)]),
    'No routes are set: every engine that serves a pair is asked in the order above.',
  )}</section>
<section class="card"><h2>Now</h2>${engineTable(now)}</section>`;
  return consolePage(frame, { title: 'Engines', section: 'engines', body });
}
