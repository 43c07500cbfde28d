import { loadConfig } from '../../config.ts';
import { engineChoice, openEngines } from '../../engines/open-engines.ts';
import { listEngines, ranksInWords } from '../../operators/engine-listing.ts';
import { forgetEngineMemory } from '../../operators/engine-memory.ts';
import { testEngines } from '../../operators/test-engine.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { Command } from '../command.ts';
import { printJson, printLine, printTable } from '../output.ts';
import { endInFailure, terminal } from '../terminal.ts';
import { withOperatorSession } from './operator-session.ts';

const listCommand: Command = {
  name: 'engine list',
  positionals: [],
  options: {},
  summary: 'List the engines and routes of these settings: model, revision of model and prompt, languages.',
  examples: ['engine list'],
  async run(args) {
    const config = loadConfig(terminal().env);
    const catalog = await openEngines(config, createMetrics(), { keys: 'elsewhere' });
    const { engines, routes } = listEngines(engineChoice(config, 'elsewhere'), catalog);
    catalog.close();
    if (args.json)
      return printJson({
        engines: engines.map(({ maxConcurrency, problem, ...engine }) => ({
          ...engine,
          max_concurrency: maxConcurrency,
          problem: problem ?? null,
        })),
        routes,
      });
    printTable(
      ['ENGINE', 'KIND', 'MODEL', 'SERVES', 'AT ONCE', 'REVISION'],
      engines.map((each) => [
        each.name,
        each.kind,
        each.model,
        each.problem === undefined ? each.serves : `does not work here: ${each.problem}`,
        each.maxConcurrency,
        each.revision,
      ]),
    );
    if (routes.length === 0) return;
    printLine();
    printTable(
      ['FROM', 'INTO', 'ENGINES'],
      routes.map((route) => [route.source, route.target, ranksInWords(route.engines)]),
    );
  },
};

const testCommand: Command = {
  name: 'engine test',
  positionals: ['ENGINE?'],
  options: {},
  summary: 'Make one real call to an engine, or to all. Exit code 1 when one does not answer.',
  examples: ['engine test', 'engine test main'],
  async run(args) {
    const findings = await withOperatorSession(({ db, actor, config }) =>
      testEngines(db, actor, engineChoice(config, 'needed'), args.positionals[0]),
    );
    if (args.json) printJson(findings);
    else
      printTable(
        ['ENGINE', 'RESULT', 'FINDING'],
        findings.map(({ engine, ok, finding }) => [engine, ok ? 'ok' : 'WRONG', finding]),
      );
    if (findings.some(({ ok }) => !ok)) endInFailure();
  },
};

const forgetCommand: Command = {
  name: 'engine forget',
  positionals: ['ENGINE'],
  options: {},
  summary: 'Forget what was learned about the server of an engine, such as its window: for one that was changed.',
  examples: ['engine forget main'],
  async run(args) {
    const [name = ''] = args.positionals;
    const hadSome = await withOperatorSession(async ({ db, actor, config }) => {
      const catalog = await openEngines(config, createMetrics(), { keys: 'elsewhere' });
      try {
        return await forgetEngineMemory(db, actor, catalog, name);
      } finally {
        catalog.close();
      }
    });
    if (args.json) printJson({ engine: name, forgotten: hadSome });
    else printLine(hadSome ? `What was learned about ${name} is forgotten.` : `Nothing was learned about ${name}.`);
  },
};

export const engineCommands: Command[] = [listCommand, testCommand, forgetCommand];
