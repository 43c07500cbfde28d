import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { generatedFiles } from '../../scripts/generated-files.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const files = await generatedFiles(app.application.server, app.application.database.db);

for (const [path, text] of Object.entries(files)) {
  test(`${path} is what "npm run generate" writes`, async () => {
    const checkedIn = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.ok(checkedIn === text, `${path} is stale: run "npm run generate"`);
  });
}

test('the OpenAPI document has no fault under Redocly', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-server-example.com': 'off', 'operation-4xx-response': 'off' },
  });
  const problems = await lintFromString({
    source: files['openapi.json'] as string,
    absoluteRef: 'openapi.json',
    config,
  });
  assert.deepEqual(
    problems.map(
      (problem) => `${problem.severity} ${problem.ruleId}: ${problem.message} at ${problem.location[0]?.pointer}`,
    ),
    [],
  );
});
