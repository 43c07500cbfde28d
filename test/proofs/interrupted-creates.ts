/**
 * Create calls whose answer is lost on the way, or whose process is killed, come to one task and one hold when the
 * client repeats them with the same key. Size: lost answers.
 */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import type { Answer } from '../support/api-client.ts';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { type FaultCluster, type Member, memberAt, startFaultCluster } from '../support/fault-cluster.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { listFiles } from '../support/stored.ts';
import { create } from '../support/task-client.ts';
import { story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const { size: losses, seed, isLong } = proofRun({ short: 10, long: 500, seed: 2 });
const kills = Math.max(1, Math.round(losses / 5 / (isLong ? 1 : 2)));

test(`${losses} answers lost at a random byte, retried with the same key: one task and one hold per key`, async (t) => {
  const cluster = await startFaultCluster();
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const found = await proveLostAnswers(cluster, apis, { losses, clients: isLong ? 6 : 2, seed });
  t.diagnostic(JSON.stringify(found));
  assert.ok(!isLong || found.cutInTheMiddle > losses / 2);
});

test(`${kills} times kill -9 of an API up to 300 ms into create calls: one task and one hold per key, nothing left behind`, async (t) => {
  const cluster = await startFaultCluster();
  const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const found = await proveApiKills(cluster, { kills, createsPerKill: isLong ? 6 : 4, seed, apis });
  t.diagnostic(JSON.stringify(found));
  const metEveryPhase = found.nothingDone > 0 && found.committedUnanswered > 0;
  assert.ok(metEveryPhase || kills < 20, 'the kills met every phase');
});

const creditsOfProof = 1_000_000_000;

interface LostAnswers {
  keys: number;
  lost: number;
  /** Answers of which the client had seen a part. */
  cutInTheMiddle: number;
}

/** Cuts answers at a random byte until so many are lost; every key must come to exactly one task and one hold. */
async function proveLostAnswers(
  cluster: FaultCluster,
  apis: readonly Member[],
  { losses, clients, seed }: { losses: number; clients: number; seed: number },
): Promise<LostAnswers> {
  const { id, key } = await cluster.account({ credits: creditsOfProof });
  const found: LostAnswers = { keys: 0, lost: 0, cutInTheMiddle: 0 };
  let characters = 0;
  const client = async (number: number): Promise<void> => {
    const [near, far] = number % 2 === 0 ? apis : [...apis].reverse();
    assert.ok(near && far);
    const proxy = await startChaosProxy(Number(new URL(near.rootUrl).port));
    try {
      while (found.lost < losses) {
        const idempotencyKey = `lost-${found.keys++}`;
        const fields = { action: 'translation', target_lang: 'fr', text: story(500, found.keys) };
        const send = (member: Pick<Member, 'call'>) => create(member, key, fields, { idempotencyKey });
        const times = 1 + Math.floor(seeded(seed, 'times', idempotencyKey) * 3);
        let lost = 0;
        let cutInTheMiddle = 0;
        for (let time = 0; time < times; time++) {
          const cutAnswerAfterBytes = Math.floor(seeded(seed, 'cut', idempotencyKey, time) * 1_200);
          proxy.inflict(cutAnswerAfterBytes === 0 ? { loseAnswer: true } : { cutAnswerAfterBytes });
          const answer = await send(memberAt(proxy.rootUrl)).catch(() => undefined);
          if (answer) continue;
          lost += 1;
          if (cutAnswerAfterBytes > 0) cutInTheMiddle += 1;
        }
        const retried = await send(near);
        assert.equal(retried.status, 201, retried.text);
        // A call that died with the reset of an earlier connection was no lost answer: nothing had been committed.
        if (retried.headers.get('idempotent-replayed') === 'true') {
          found.lost += lost;
          found.cutInTheMiddle += cutInTheMiddle;
        }
        assert.equal((await send(far)).text, retried.text, 'the same bytes from every process');
        characters += retried.body.data.char_count;
      }
    } finally {
      await proxy.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  await assertOneEach(cluster, id, found.keys, characters);
  return found;
}

interface ApiKills {
  creates: number;
  answeredBefore: number;
  /** Committed, but the answer died with the process. */
  committedUnanswered: number;
  /** Nothing was created before the retry. */
  nothingDone: number;
  retriedInProgress: number;
}

/** Kills API processes shortly after several create calls have begun; retries go to the other one at once. */
async function proveApiKills(
  cluster: FaultCluster,
  {
    kills,
    createsPerKill,
    seed,
    apis,
  }: { kills: number; createsPerKill: number; seed: number; apis: readonly [Member, Member] },
): Promise<ApiKills> {
  const { id, key } = await cluster.account({ credits: creditsOfProof });
  const found: ApiKills = {
    creates: 0,
    answeredBefore: 0,
    committedUnanswered: 0,
    nothingDone: 0,
    retriedInProgress: 0,
  };
  let characters = 0;
  let [victim, survivor] = apis;
  for (let round = 0; round < kills; round++) {
    const requests = Array.from({ length: createsPerKill }, (_, number) => {
      const idempotencyKey = `kill-${round}-${number}`;
      const fields = { action: 'translation', target_lang: 'fr', estimated_chars: 1 };
      // From a page to a short novel, so that the kill meets uploads, counting and transactions.
      const content = story(1_000 + Math.floor(seeded(seed, 'size', idempotencyKey) ** 3 * 400_000), round + 1);
      return (member: Member) => create(member, key, fields, { idempotencyKey, file: { content } });
    });
    const firsts = requests.map((send) => send(victim).catch(() => undefined));
    await sleep(seeded(seed, 'moment', round) * 300);
    await victim.kill();
    const again: Member = await victim.startAgain();
    const answers = await Promise.all(firsts);
    const retries = await Promise.all(requests.map((send) => untilCreated(() => send(survivor), found)));
    for (const [number, retry] of retries.entries()) {
      const first = answers[number];
      found.creates += 1;
      const replayed = retry.headers.get('idempotent-replayed') === 'true';
      if (first) {
        assert.equal(retry.text, first.text, 'what was acknowledged is replayed byte for byte');
        found.answeredBefore += 1;
      } else if (replayed) found.committedUnanswered += 1;
      else found.nothingDone += 1;
      characters += retry.body.data.char_count;
    }
    const [sample] = requests;
    assert.equal((await sample?.(again))?.text, retries[0]?.text, 'the restarted process replays the same bytes');
    [victim, survivor] = [survivor, again];
  }
  await assertOneEach(cluster, id, found.creates, characters);
  await assertNothingLeft(cluster);
  return found;
}

async function untilCreated(send: () => Promise<Answer>, found: ApiKills): Promise<Answer> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const answer = await send();
    if (answer.status === 201) return answer;
    assert.equal(answer.body.error.code, 'REQUEST_IN_PROGRESS', answer.text);
    assert.ok(Date.now() < deadline, 'still in progress');
    found.retriedInProgress += 1;
    await sleep(Number(answer.headers.get('retry-after')) * 1000);
  }
}

/** As many tasks, jobs and holds as keys, and not a credit held twice. */
async function assertOneEach(cluster: FaultCluster, accountId: string, keys: number, held: number): Promise<void> {
  const { rows } = await cluster.pool.query(
    `select (select count(*)::int from idempotency_keys where account_id = $1) as keys,
       (select count(*)::int from tasks where account_id = $1) as tasks,
       (select count(*)::int from tasks t join pgboss.job j on j.id::text = t.job_id::text where account_id = $1) as jobs,
       (select count(*)::int from credit_holds where account_id = $1) as holds,
       (select reserved::int from credit_balances where account_id = $1) as held`,
    [accountId],
  );
  assert.deepEqual(rows[0], { keys, tasks: keys, jobs: keys, holds: keys, held });
}

/** After the sweeper has run, an hour later, every object belongs to a task and nothing is half written. */
async function assertNothingLeft(cluster: FaultCluster): Promise<void> {
  const log = createLog('silent');
  const { db, close } = openDatabase({ url: cluster.databaseUrl, poolSize: 2, log, applicationName: 'sweeper' });
  const storage = await FileStorage.open(join(cluster.dataDir, 'files'));
  await sweep({ db, storage, retentionDays: 30, log }, new Date(Date.now() + 61 * 60_000));
  await close();
  const { rows } = await cluster.pool.query<{ source_key: string }>(
    "select source_key from tasks where source_key not like 'texts/%'",
  );
  const { rows: bare } = await cluster.pool.query(
    "select from tasks where source_key like 'texts/%' and not exists (select from task_texts where task_id = tasks.id)",
  );
  assert.equal(bare.length, 0, 'every small text is there with its task');
  const owned = new Set(rows.map((row) => row.source_key.replaceAll('/', '.')));
  const objects = async () => (await listFiles(cluster)).filter((path) => path.startsWith('files/'));
  const orphans = async () => (await objects()).filter((path) => !owned.has(path.split('/').at(-1) ?? ''));
  // What was uploaded for a replay is removed after its answer.
  await eventually(async () => (await orphans()).length === 0, 'a storage without orphans');
  assert.equal((await objects()).length, owned.size, 'every task has its source');
}
