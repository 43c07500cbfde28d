import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commandGroups, loadCommands } from '../../src/cli/command-groups.ts';

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
