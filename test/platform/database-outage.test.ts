import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { OutageLog } from '../../src/platform/outage-log.ts';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { databaseSocket, proxiedUrl } from '../support/fault-cluster.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { eventually } from '../support/workers.ts';

interface Line {
  level: number;
  msg: string;
  err?: { message: string; code?: string };
}

test('a database that goes away is one line with its reason, and one when it answers again', async (t) => {
  const near = await startTestApp({ own: true, role: 'api' });
  const { key } = await near.account({ credits: 1_000 });
  const proxy = await startChaosProxy(databaseSocket(near.databaseUrl));
  t.after(() => proxy.close());
  const lines: Line[] = [];
  const app = await startTestApp({
    beside: { databaseUrl: proxiedUrl(near.databaseUrl, proxy.port), dataDir: near.dataDir },
    env: { TOLEDO_LOG_LEVEL: 'info' },
    logDestination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  const order = { action: 'translation', target_lang: 'de', text: 'The lamp was out.' };
  await run(app, key, order);
  lines.length = 0;

  await proxy.vanish();
  proxy.resetAll();
  const asked = () => app.call('GET', '/api/v1/usage', { key });
  let refused = 0;
  await eventually(async () => {
    if ((await asked()).status === 503) refused += 1;
    return refused >= 30;
  }, 'thirty refusals');
  await proxy.appear();
  await eventually(async () => (await asked()).status === 200, 'an answer');
  await run(app, key, order);
  const back = () => lines.filter(({ msg }) => msg === 'the database answers again');
  await eventually(async () => back().length === 1, 'the line about the return');

  const told = lines.filter(({ level }) => level >= 40);
  assert.equal(told.length, 1, JSON.stringify(told));
  assert.match(`${told[0]?.err?.code} ${told[0]?.err?.message}`, /ECONN|terminated/);
  assert.ok((back()[0] as unknown as { untold: number }).untold >= 29);
});

test('errors of any form are told in words, and a plain fault of a statement is told every time', () => {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  log.warn({ err: { code: '42P01', message: 'relation "tasks" does not exist', stack: 'x' } }, 'queue');
  log.warn({ err: {} }, 'queue');
  assert.deepEqual(
    lines.map(({ err }) => err?.message),
    ['relation "tasks" does not exist', 'an error of unknown form'],
  );
  const outage = new OutageLog();
  const fault = OutageLog.ofDatabase(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
  assert.deepEqual([outage.isTold(fault), outage.isTold(fault)], [false, false]);
  const away = () => OutageLog.ofDatabase(Object.assign(new Error(''), { code: 'ECONNREFUSED' }));
  assert.deepEqual(
    [
      outage.isTold(away(), 0),
      outage.isTold(away(), 59_000),
      outage.isTold(away(), 61_000),
      outage.isTold(away(), 62_000),
    ],
    [false, true, false, true],
    'and once a minute',
  );
  const ofStorage = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  assert.deepEqual([outage.isTold(ofStorage, 63_000), outage.isTold(ofStorage, 63_000)], [false, false]);
});
