import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseCommand } from '../../src/cli/command.ts';
import { commandGroups, loadCommands } from '../../src/cli/command-groups.ts';
import { helpOf, helpOfAll } from '../../src/cli/help.ts';
import { toledo } from '../support/toledo-process.ts';

test('every command is found by the word it begins with, and no word finds nothing', async () => {
  for (const { words, load } of commandGroups) {
    const first = (await load()).map(({ name }) => name.split(' ')[0] as string);
    assert.deepEqual([...new Set(first)].sort(), [...words].sort());
  }
});

test('help and an unknown word know all commands, a known word only its own', async () => {
  const all = await loadCommands(undefined);
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length, 'no command twice');
  assert.equal((await loadCommands('nonsense')).length, all.length);
  const ofUsage = (await loadCommands('usage')).map(({ name }) => name);
  assert.ok(ofUsage.includes('usage') && ofUsage.includes('usage report') && !ofUsage.includes('account create'));
});

test('every command and every option is on the pages about commands', async () => {
  const pages = ['docs/operating/commands.md', 'docs/api/cli.md'].map((path) => readFileSync(path, 'utf8')).join('\n');
  for (const { name, options } of await loadCommands(undefined)) {
    assert.match(pages, new RegExp(`[\`(]((npx )?toledo )?${name}\\b`), name);
    for (const option of Object.keys(options)) assert.match(pages, new RegExp(`--${option}\\b`), `${name} --${option}`);
  }
});

test('the help of a command has a line for each option, tells common ones apart and shows examples that are understood', async () => {
  const commands = await loadCommands(undefined);
  for (const command of commands) {
    const help = helpOf(command);
    for (const line of help.split('\n')) assert.ok(line.length <= 120, line);
    for (const option of Object.keys(command.options))
      assert.equal(
        help.match(new RegExp(`^ {2}--${option}(?= ).* {2}\\S`, 'gm'))?.length,
        1,
        `${command.name} --${option}`,
      );
    assert.ok(command.examples.length > 0, command.name);
    for (const example of command.examples) {
      assert.ok(help.endsWith(`${command.examples.at(-1)}`) && help.includes(`  npx toledo ${example}`), example);
      assert.ok(example === command.name || example.startsWith(`${command.name} `), example);
      const words = example.slice(command.name.length).match(/"[^"]*"|\S+/g) ?? [];
      parseCommand(
        command,
        words.map((word) => word.replaceAll('"', '')),
      );
    }
  }
  const all = helpOfAll(commands);
  for (const option of ['json', 'base-url', 'api-key']) assert.equal(all.split(`--${option}`).length, 2, option);
});

test('help is asked for by "help COMMAND", by "COMMAND --help" and for a group', async () => {
  const asked = await Promise.all([toledo(['help', 'translate'], {}), toledo(['translate', '--help'], {})]);
  for (const { code, stdout } of asked) {
    assert.equal(code, 0);
    assert.match(stdout, /^npx toledo translate \[FILE\] \[options\]\n[\s\S]*\nExamples:\n {2}npx toledo translate /);
  }
  const group = await toledo(['help', 'webhook'], {});
  assert.ok(group.stdout.includes('webhook redeliver') && !group.stdout.includes('account create'));
  const unknown = await toledo(['help', 'nonsense'], {});
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'toledo: "nonsense" is not a command; see "npx toledo help".\n'],
  );
});
