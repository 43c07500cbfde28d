/**
 * What tasks cost equals a model of it, whatever is killed meanwhile: partners order previews, whole books and extractions of
 * the same text, repeat and cancel them, while the API and the worker are killed or stopped at random moments and come back.
 * After every step the partner's credits are what the model says. One paragraph is one segment here, so that the model can
 * say which paragraphs a preview has paid for. Size: sequences of steps, each with an account.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../support/api-client.ts';
import { type FaultCluster, type Member, startFaultCluster } from '../support/fault-cluster.ts';
import { patient } from '../support/patient-call.ts';
import { proofRun } from '../support/proof.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { create, creditsOf, type Fields, untilEnded } from '../support/task-client.ts';
import { story } from '../support/texts.ts';

const { size: sequences, seed, isLong } = proofRun({ short: 4, long: 1_000, seed: 11 });
const atOnce = isLong ? 10 : 4;

test(`${sequences} sequences of orders, repetitions and cancellations under kills and restarts cost what the model says`, async (t) => {
  const cluster = await startFaultCluster({
    llm: { latencyMs: 60, perTokenMs: 0, seed },
    engine: { max_input_characters: 150, concurrency: 8 },
  });
  const [api, worker] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  await cluster.setLeaseSeconds(3);
  const seen: Counts = { completed: 0, cancelled: 0, refused: 0, credited: 0, interrupted: 0, kills: 0 };
  const over = new AbortController();
  const disturbing = disturb(api, worker, over.signal, seen);
  const service = { call: patient(api.call) };
  let next = 0;
  const partner = async () => {
    for (let number = next++; number < sequences; number = next++) await playSequence(cluster, service, number, seen);
  };
  const playing = Promise.all(Array.from({ length: atOnce }, partner));
  try {
    await Promise.race([playing, disturbing.then(() => playing)]);
  } finally {
    over.abort();
  }
  await disturbing;
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.kills > 0 && seen.completed > 0);
  if (isLong) assert.ok(seen.credited > 0 && seen.cancelled > 0 && seen.refused > 0 && seen.interrupted > 0);
});

interface Counts {
  completed: number;
  cancelled: number;
  /** 402. */
  refused: number;
  /** Whole books that a preview had paid for in part. */
  credited: number;
  /** Tasks that were taken more than once. */
  interrupted: number;
  kills: number;
}

interface Service {
  call: Call;
}

/** What the model knows of an account. */
interface Account {
  id: string;
  key: string;
  creditPreviews: boolean;
  granted: number;
  spent: number;
  text: string;
  /** The longest beginning of the text that a completed task with a limit has delivered. */
  previewed: number;
}

type Step = 'preview' | 'book' | 'extraction';

const glossary = { glossary: '{"Corwin":"Corwin"}', glossary_strategy: 'replace' };

async function playSequence(cluster: FaultCluster, service: Service, number: number, seen: Counts): Promise<void> {
  const draw = (what: string) => seeded(seed, 'sequence', number, what);
  const text = story(700 + Math.floor(draw('length') * 900), 10_000 * (seed % 1_000) + number);
  const credits = Math.round(text.length * (1 + draw('credits') * 4));
  const { id, key } = await cluster.account({ credits });
  const creditPreviews = draw('previews') < 0.8;
  await cluster.pool.query('update accounts set credit_previews = $2 where id = $1', [id, creditPreviews]);
  const account: Account = { id, key, creditPreviews, granted: credits, spent: 0, text, previewed: 0 };
  const steps = 3 + Math.floor(draw('steps') * 3);
  for (let at = 0; at < steps; at++) {
    const drawn = draw(`step ${at}`);
    const step: Step = at === 0 || drawn < 0.35 ? 'preview' : drawn < 0.85 ? 'book' : 'extraction';
    await playStep(cluster, service, account, step, `${number} ${at}`, (what) => draw(`${at} ${what}`), seen);
  }
}

async function playStep(
  cluster: FaultCluster,
  service: Service,
  account: Account,
  step: Step,
  idempotencyKey: string,
  draw: (what: string) => number,
  seen: Counts,
): Promise<void> {
  const { key, text } = account;
  const limit = step === 'preview' ? openingRange(text, draw) : undefined;
  const held = limit ?? text.length;
  const order: Fields = {
    action: step === 'extraction' ? 'glossary_extraction' : 'translation',
    source_lang: 'en',
    target_lang: 'de',
    text,
    ...(step === 'extraction' ? {} : glossary),
    ...(limit === undefined ? {} : { char_limit: limit }),
  };
  const created = await create(service, key, order, { idempotencyKey });
  if (held > account.granted - account.spent) {
    assert.equal(created.status, 402, created.text);
    seen.refused++;
    return;
  }
  assert.equal(created.status, 201, created.text);
  const taskId: string = created.body.data.task_id;
  assert.equal(created.body.data.estimated_credits ?? held, held);
  const { balance, reserved, used } = await creditsOf(service, key);
  assert.equal(balance + reserved + used, account.granted, 'no credit is anywhere else');
  if (draw('repeat') < 0.3) {
    const again = await create(service, key, order, { idempotencyKey });
    assert.deepEqual([again.status, again.body.data.task_id], [201, taskId], 'a repetition creates nothing');
  }
  if (draw('cancel') < 0.35) {
    await sleep(draw('moment') * 1_500);
    await service.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
  }
  const task = await untilEnded(service, key, taskId);
  assert.ok(task.status === 'completed' || task.status === 'cancelled', JSON.stringify(task));
  const paidBefore = step === 'book' && account.creditPreviews ? paidParagraphs(text, account.previewed) : 0;
  if (task.status === 'completed') {
    assert.equal(task.credits_charged, held - paidBefore, `${step} ${limit} after ${account.previewed}`);
    if (limit !== undefined) account.previewed = Math.max(account.previewed, limit);
    if (paidBefore > 0) seen.credited++;
    seen.completed++;
  } else {
    const done = await finished(cluster, taskId);
    assert.ok(done.paid <= paidBefore, `${done.paid} credited of ${paidBefore}`);
    assert.equal(task.credits_charged, Math.max(0, Math.min(held, done.characters) - done.paid));
    seen.cancelled++;
  }
  account.spent += task.credits_charged;
  if ((await cluster.attempts(taskId)).attempt > 1) seen.interrupted++;
  const expected = { balance: account.granted - account.spent, reserved: 0, used: account.spent };
  assert.deepEqual(await creditsOf(service, key), expected);
}

/** Ends with a paragraph, or so far into one that the rest of it is a segment of its own. */
function openingRange(text: string, draw: (what: string) => number): number {
  const paragraphs = text.split('\n\n');
  const whole = 1 + Math.floor(draw('limit') * (paragraphs.length - 2));
  const end = paragraphs.slice(0, whole).join('\n\n').length;
  return draw('cut') < 0.5 ? end : end + 2 + 60 + Math.floor(draw('rest') * 30);
}

/** Only whole paragraphs are remembered from a preview, with the blank lines beside them. */
function paidParagraphs(text: string, previewed: number): number {
  const paragraphs = text.split('\n\n').map(({ length }) => length);
  const inParagraphs = (count: number) => paragraphs.slice(0, count).reduce((sum, length) => sum + length, 0);
  let remembered = 0;
  while (remembered < paragraphs.length && inParagraphs(remembered + 1) + 2 * remembered <= previewed) remembered++;
  return inParagraphs(remembered) + 2 * Math.min(remembered, paragraphs.length - 1);
}

/** What a cancelled task had finished, from its checkpoints: translated, remembered or, in an extraction, read. */
async function finished(cluster: FaultCluster, taskId: string): Promise<{ characters: number; paid: number }> {
  const { rows } = await cluster.pool.query(
    `select coalesce(sum(characters) filter (where kind in ('segment', 'recall', 'extraction')), 0)::int as characters,
       coalesce(sum(paid_characters), 0)::int as paid from checkpoints where task_id = $1`,
    [taskId],
  );
  return rows[0];
}

/** Kills or stops one of the two processes after the other, each at a random moment, and starts it again. */
async function disturb(api: Member, worker: Member, over: AbortSignal, seen: Counts): Promise<void> {
  const members = [worker, api];
  for (let kill = 0; !over.aborted && (isLong || kill < 3); kill++) {
    await sleep(400 + seeded(seed, 'pause', kill) * (isLong ? 5_000 : 1_200), undefined, { signal: over }).catch(
      () => {},
    );
    if (over.aborted) return;
    const victim = kill % 3 === 1 ? 1 : 0;
    const member = members[victim] as Member;
    if (seeded(seed, 'how', kill) < 0.7) await member.kill();
    else await member.stop();
    members[victim] = await member.startAgain();
    seen.kills++;
  }
}
