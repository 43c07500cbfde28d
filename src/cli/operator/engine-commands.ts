import { loadConfig } from '../../config.ts';
import { engineChoice, openEngines } from '../../engines/open-engines.ts';
import { forgetEngineMemory, testEngines } from '../../operators/engine-actions.ts';
import { listEngines, ranksInWords } from '../../operators/engine-listing.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { commands } from '../command.ts';
import { printAnswer, table } from '../output.ts';
import { endInFailure, terminal } from '../terminal.ts';
import { operatorSession } from './operator-session.ts';

export const engineCommands = commands({
  'engine list': {
    summary: 'List the engines and routes of these settings: model, revision of model and prompt, languages.',
    examples: ['engine list'],
    async run(args) {
      const config = loadConfig(terminal().env);
      const catalog = await openEngines(config, createMetrics(), { keys: 'elsewhere' });
      const { engines, routes } = listEngines(engineChoice(config, 'elsewhere'), catalog);
      catalog.close();
      const listed = engines.map(({ maxConcurrency, problem, ...engine }) => ({
        ...engine,
        max_concurrency: maxConcurrency,
        problem: problem ?? null,
      }));
      const shown = table(
        ['ENGINE', 'KIND', 'MODEL', 'SERVES', 'AT ONCE', 'REVISION'],
        listed.map(({ name, kind, model, serves, problem, max_concurrency, revision }) => {
          const state = problem === null ? serves : `does not work here: ${problem}`;
          return [name, kind, model, state, max_concurrency, revision];
        }),
      );
      const routed = table(
        ['FROM', 'INTO', 'ENGINES'],
        routes.map((route) => [route.source, route.target, ranksInWords(route.engines)]),
      );
      printAnswer(args, { engines: listed, routes }, routes.length === 0 ? shown : `${shown}\n\n${routed}`);
    },
  },

  'engine test [ENGINE]': {
    summary: 'Make one real call to an engine, or to all. Exit code 1 when one does not answer.',
    examples: ['engine test', 'engine test main'],
    async run(args) {
      await using session = await operatorSession();
      const { db, actor, config } = session;
      const findings = await testEngines(db, actor, engineChoice(config, 'needed'), args.positionals[0]);
      const rows = findings.map(({ engine, ok, finding }) => [engine, ok ? 'ok' : 'WRONG', finding]);
      printAnswer(args, findings, table(['ENGINE', 'RESULT', 'FINDING'], rows));
      if (findings.some(({ ok }) => !ok)) endInFailure();
    },
  },

  'engine forget ENGINE': {
    summary: 'Forget what was learned about the server of an engine, such as its window: for one that was changed.',
    examples: ['engine forget main'],
    async run(args) {
      const [engine = ''] = args.positionals;
      await using session = await operatorSession();
      const catalog = await openEngines(session.config, createMetrics(), { keys: 'elsewhere' });
      const forgotten = await forgetEngineMemory(session.db, session.actor, catalog, engine).finally(() =>
        catalog.close(),
      );
      const words = forgotten
        ? `What was learned about ${engine} is forgotten.`
        : `Nothing was learned about ${engine}.`;
      printAnswer(args, { engine, forgotten }, words);
    },
  },
});
