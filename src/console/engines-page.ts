import { ranksInWords } from '../operators/engine-listing.ts';
import type { Overview } from '../operators/overview.ts';
import { html } from '../pages/html.ts';
import { moment, table, tag } from '../pages/parts.ts';
import { changeForm } from '../pages/work-page.ts';
import { type ConsoleRoutes, type ConsoleServices, param, type Show } from './console-routes.ts';
import { engineTable } from './overview-page.ts';

/** @param overview as it is now */
export function registerEnginesPage(
  { page, change }: ConsoleRoutes,
  { listEngines, testEngine, engineMemories, forgetEngine }: ConsoleServices,
  overview: () => Promise<Overview>,
): void {
  const show: Show = async (_request, frame) => {
    const { engines, routes } = listEngines();
    const memories = await engineMemories();
    const now = await overview();
    const body = html`<h1>Engines</h1>
<section class="card"><h2>Configured</h2>${table(
      ['Engine', 'Kind', 'Model and prompt', 'Serves', 'At once', 'Test'],
      engines.map((engine) => [
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
<section class="card"><h2>Learned</h2>${table(
      ['Engine', 'About its server', 'Since', 'Forget'],
      memories.map(({ engine, words, learnedAt }) => [
        engine,
        html`<ul>${words.map((each) => html`<li>${each}</li>`)}</ul>`,
        moment(learnedAt),
        changeForm(
          frame,
          `/console/engines/${encodeURIComponent(engine)}/forget`,
          html`<button>Forget ${engine}</button>`,
        ),
      ]),
      'Nothing was learned: every server takes what it is sent.',
    )}<p class="muted small">What a server refused or cannot do is remembered for a day. Forget it after you have changed a server.</p></section>
<section class="card"><h2>Routes</h2>${table(
      ['From', 'Into', 'Engines in order'],
      routes.map((route) => [route.source, route.target, ranksInWords(route.engines)]),
      'No routes are set: every engine that serves a pair is asked in the order above.',
    )}</section>
<section class="card"><h2>Now</h2>${engineTable(now)}</section>`;
    return { title: 'Engines', section: 'engines', body };
  };
  page('/engines', show);
  change('/engines/:name/test', show, async (request, actor) => {
    const name = param(request, 'name');
    const { ok, finding } = await testEngine(name, actor);
    return { tone: ok ? 'good' : 'bad', text: `${name}: ${finding}` };
  });
  change('/engines/:name/forget', show, async (request, actor) => {
    const name = param(request, 'name');
    const hadSome = await forgetEngine(name, actor);
    return { tone: 'good', text: hadSome ? `${name}: forgotten` : `${name}: nothing was learned` };
  });
}
