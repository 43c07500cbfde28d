import type { EngineState } from '../operators/engine-state-store.ts';
import type { Overview } from '../operators/overview.ts';
import { barChart, dayChart, share } from '../pages/charts.ts';
import { type Html, html } from '../pages/html.ts';
import { bytes, costInWords, duration, moment, number, table, tag, tile } from '../pages/parts.ts';
import type { ConsoleRoutes } from './console-routes.ts';

/** @param overview as it is now */
export function registerOverviewPage({ page }: ConsoleRoutes, overview: () => Promise<Overview>): void {
  page('', async () => {
    const body = html`<h1>Overview</h1><div id="live" data-live="/console">${overviewParts(await overview())}</div>`;
    return { title: 'Overview', section: 'overview', body };
  });
}

/** What renews itself. */
function overviewParts(overview: Overview): Html {
  const { queue, charactersByMinute, disk } = overview;
  const lanes = Object.values(queue);
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const running = lanes.reduce((sum, lane) => sum + lane.running, 0);
  const oldest = Math.max(0, ...lanes.map((lane) => lane.oldestSeconds));
  // The minute that runs has only begun; the five before it make a steady figure.
  const whole = charactersByMinute.slice(-6, -1);
  const perMinute = Math.round(whole.reduce((sum, n) => sum + n, 0) / Math.max(1, whole.length));
  const minutes = charactersByMinute.map((value, i) => ({
    value,
    label: `${value.toLocaleString('en')} characters, ${charactersByMinute.length - 1 - i} minutes ago`,
  }));
  return html`<div class="tiles">
${tile('Waiting', number(waiting), waiting > 0 ? `the oldest for ${duration(oldest)}` : 'nothing waits')}
${tile('Running', number(running), `${queue.book.running} books, ${queue.short.running} short tasks`)}
${tile('Characters a minute', number(perMinute), 'mean of five minutes')}
${tile('Credits held', number(overview.reservedCredits), 'for tasks that have not ended')}
</div>
<div class="halves">
<section class="card"><h2>Last hour</h2>${barChart({ title: 'Characters finished in each minute', from: `${minutes.length} min ago`, to: 'now' }, minutes)}</section>
<section class="card"><h2>Last 14 days</h2>${dayChart('Credits charged on each day (UTC)', overview.days)}</section>
</div>
<section class="card"><h2>Engines</h2>${engineTable(overview)}</section>
<div class="halves">
<section class="card"><h2>Failures of the last day</h2>${table(
    ['Cause', 'Tasks'],
    overview.failures.map(({ code, tasks }) => [
      html`<a href="/console/tasks?${new URLSearchParams({ status: 'failed', q: code }).toString()}">${code}</a>`,
      number(tasks),
    ]),
    'No task failed.',
  )}</section>
<section class="card"><h2>Room</h2>${
    disk &&
    html`<p>${bytes(disk.freeBytes)} of ${bytes(disk.totalBytes)} free on the disk of the data directory</p>${share('Part of the disk in use', disk.totalBytes - disk.freeBytes, disk.totalBytes)}`
  }<p>The database takes ${bytes(overview.databaseBytes)}.</p></section>
</div>`;
}

export function engineTable({ engines, usedToday }: Pick<Overview, 'engines' | 'usedToday'>): Html {
  return table(
    ['Engine', 'State', 'Calls now', 'Waiting', 'Tokens today', 'Cost today', 'Last fault'],
    engines.map((engine) => {
      const used = usedToday.get(engine.engine);
      return [
        html`${engine.engine}<br><span class="muted small">${engine.process}</span>`,
        stateOf(engine),
        html`${engine.inFlight} of ${engine.limit}`,
        number(engine.waiting),
        used
          ? html`${number(used.inputTokens + used.cachedInputTokens)} in, ${number(used.outputTokens)} out<br><span class="muted small">${used.calls.toLocaleString('en')} calls, ${used.failedCalls.toLocaleString('en')} failed</span>`
          : '',
        used ? costInWords(used) : '',
        engine.lastFault === undefined
          ? html`<span class="muted">none</span>`
          : html`${engine.lastFault}<br><span class="muted small">${moment(engine.lastFaultAt)}</span>`,
      ];
    }),
    'No worker process has reported in the last half minute.',
  );
}

const stateWords: Record<string, string> = { closed: 'up', probing: 'being tried', open: 'down' };

function stateOf({ state, pausedSeconds, overBudget }: EngineState): Html {
  if (overBudget) return tag('budget used up', 'bad');
  const tone = { closed: 'good', probing: 'warn', open: 'bad' }[state] ?? '';
  return html`${tag(stateWords[state] ?? state, tone)}${pausedSeconds > 0 && html`<br><span class="small">paused for ${duration(pausedSeconds)}</span>`}`;
}
