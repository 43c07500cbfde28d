import { loadConfig } from '../../config.ts';
import { engineChoice, openEngines } from '../../engines/open-engines.ts';
import { listEngines, ranksInWords } from '../../operators/engine-listing.ts';
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

export const engineCommands: Command[] = [listCommand, testCommand];
