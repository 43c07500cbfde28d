/** One server for all animals, each below its own path, which keeps a bill for each. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { seeded } from '../simulated-llm/random.ts';
import { countTokens } from '../simulated-llm/tokens.ts';
import type { Animal, Behaviour, ErrorReply, LeftOver } from './animal.ts';
import { animals } from './animals.ts';
import { modelText } from './model.ts';
import {
  contentTypes,
  errorFrame,
  finishWords,
  framesOf,
  readRequest,
  type ZooRequest,
  type ZooUsage,
} from './wire.ts';

/** Stands in the one paragraph that some of them will not have. */
export const flaggedWord = 'bloodmoon';
const thoughtTokens = 1_500;
const smallWindowTokens = 1_200;
/** Smaller than the prompts that are read for names, which are the longest. */
const cutWindowTokens = 1_600;
const largeWindowTokens = 32_768;
const requestsPerWindow = 3;
const limitWindowMs = 50;

/** What a provider would charge. */
export interface Bill {
  calls: number;
  /** Answered with an error, and free. */
  errors: number;
  input: number;
  cached: number;
  output: number;
  /** Calls that ended before their usage was told. */
  untold: number;
  /** In millionths of a millionth. */
  money: bigint;
}

export interface Resident {
  animal: Animal;
  behaviour: Behaviour;
  bill: Bill;
  /** Calls that came although nothing was left. */
  violations: number;
  tasks: { translate: number; extract: number; sheet: number; edit: number };
}

export interface Zoo {
  /** For the file of engines. */
  engines: { name: string; base_url: string }[];
  /** Begins anew with a behaviour. */
  tell(name: string, behaviour: Behaviour): Resident;
  /** Takes the place of every answer, for a model that says nothing else. */
  answers: ((name: string, request: ZooRequest) => string | undefined) | undefined;
  requests: { animal: string; body: Record<string, unknown> }[];
  stop(): Promise<void>;
}

interface Cage extends Resident {
  attempts: Map<string, number>;
  prompts: string[];
  left: LeftOver & { endsAt: number };
}

export async function openZoo(): Promise<Zoo> {
  const cages = new Map(animals.map((animal) => [animal.name, cageOf(animal, 'plain')]));
  const zoo: Zoo = {
    engines: [],
    tell(name, behaviour) {
      const animal = animals.find((one) => one.name === name);
      if (animal === undefined) throw new Error(`no animal ${name}`);
      const cage = cageOf(animal, behaviour);
      cages.set(name, cage);
      return cage;
    },
    answers: undefined,
    requests: [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    visit(zoo, cages, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  zoo.engines = animals.map(({ name, engine, basePath }) => ({
    name,
    base_url: `${root}/${name}${basePath}`,
    concurrency: 8,
    timeout_seconds: 20,
    ...(engine.kind === 'ollama' || engine.kind === 'openai-compatible' ? {} : { api_key: 'zoo' }),
    ...engine,
  }));
  return zoo;
}

function cageOf(animal: Animal, behaviour: Behaviour): Cage {
  return {
    animal,
    behaviour,
    bill: { calls: 0, errors: 0, input: 0, cached: 0, output: 0, untold: 0, money: 0n },
    violations: 0,
    tasks: { translate: 0, extract: 0, sheet: 0, edit: 0 },
    attempts: new Map(),
    prompts: [],
    left: { requests: requestsPerWindow, resetMs: 0, nowMs: 0, endsAt: 0 },
  };
}

async function visit(
  zoo: Zoo,
  cages: ReadonlyMap<string, Cage>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://zoo').pathname;
  const cage = cages.get(path.split('/')[1] ?? '');
  if (cage === undefined) return void response.writeHead(404).end();
  if (request.method === 'GET') return tellFact(cage, path, response);
  const body = (await json(request)) as Record<string, unknown>;
  zoo.requests.push({ animal: cage.animal.name, body });
  await serve(zoo, cage, readRequest(cage.animal.protocol, body), response);
}

function tellFact({ animal, behaviour }: Cage, path: string, response: ServerResponse): void {
  const asked = Object.entries(animal.facts ?? {}).find(
    ([fact]) => new URL(`http://zoo/${animal.name}${animal.basePath}${fact}`).pathname === path,
  );
  const window = windowOf(animal, behaviour);
  if (asked === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(asked[1](window)));
}

async function serve(zoo: Zoo, cage: Cage, request: ZooRequest, response: ServerResponse): Promise<void> {
  const { animal, behaviour, bill } = cage;
  bill.calls += 1;
  const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  const refuse = (reply: ErrorReply, headers: Record<string, string> = {}): void => {
    bill.errors += 1;
    sendError(animal, reply, headers, response);
  };

  const headers = limitHeaders(cage);
  if (headers === 'spent') {
    cage.violations += 1;
    return refuse(animal.limits.reply(cage.left));
  }
  const unknown = behaviour === 'unknown parameter' ? valueAt(request.body, animal.unknown.path) : undefined;
  if (unknown !== undefined && animal.unknown.allows?.(unknown) !== true) return refuse(animal.unknown.reply(unknown));

  const fits = cutToWindow(cage, request);
  if ('status' in fits) return refuse(fits);
  const isFlagged =
    behaviour === 'refuses one paragraph' && `${request.instructions}${request.data}`.includes(flaggedWord);
  if (isFlagged && 'status' in animal.refusal) return refuse(animal.refusal);

  const { task, fingerprint, text } = modelText(fits.request, behaviour, (print) => countAttempt(cage, print));
  if (task !== 'unknown') cage.tasks[task] += 1;
  const said = zoo.answers?.(animal.name, fits.request) ?? text;
  const answer = answerOf(cage, fits.request, fits.promptTokens, isFlagged, said);
  const frames = framesOf(animal, answer);
  const isFirst = cage.attempts.get(fingerprint) === 1;
  const isCut = behaviour === 'cut stream' && isFirst && seeded(3, 'cut', fingerprint) < 0.25;
  response.writeHead(200, { 'content-type': contentTypes[animal.protocol], ...headers });
  if (isCut) {
    bill.untold += 1;
    const kept = Math.max(1, Math.floor(frames.length * 0.6));
    response.write(frames.slice(0, kept).join(''));
    // The bytes are on their way before the line breaks.
    setTimeout(() => response.destroy(), 20);
    return;
  }
  const ended = new Promise<'ended'>((resolve) => response.end(frames.join(''), () => resolve('ended')));
  if ((await Promise.race([ended, gone])) === 'gone') bill.untold += 1;
  else charge(bill, animal, answer.usage);
}

function sendError(
  { protocol }: Animal,
  reply: ErrorReply,
  headers: Record<string, string>,
  response: ServerResponse,
): void {
  const { status, body, isEvent } = reply;
  if (isEvent) {
    response.writeHead(200, { 'content-type': contentTypes[protocol], ...headers });
    response.end(errorFrame(protocol, body));
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...reply.headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** What is left of the limit, as headers; or that nothing is. */
function limitHeaders(cage: Cage): Record<string, string> | 'spent' {
  if (cage.behaviour !== 'limits by header') return {};
  const nowMs = Date.now();
  const { left } = cage;
  if (nowMs >= left.endsAt) Object.assign(left, { requests: requestsPerWindow, endsAt: nowMs + limitWindowMs });
  Object.assign(left, { nowMs, resetMs: Math.max(1, left.endsAt - nowMs) });
  if (left.requests === 0) return 'spent';
  left.requests -= 1;
  return cage.animal.limits.headers?.(left) ?? {};
}

/** What is cut without a word can be seen only in prompts that are long: those that are read for names. */
function windowOf({ overflow }: Animal, behaviour: Behaviour): number {
  if (behaviour !== 'window too small') return largeWindowTokens;
  return overflow.reply === 'cut' ? cutWindowTokens : smallWindowTokens;
}

/** A prompt that does not fit is refused, or loses its head. */
function cutToWindow(cage: Cage, request: ZooRequest): ErrorReply | { request: ZooRequest; promptTokens: number } {
  const { animal, behaviour } = cage;
  const windowTokens = windowOf(animal, behaviour);
  const promptTokens = countTokens(request.instructions) + countTokens(request.data);
  const { counts, reply } = animal.overflow;
  const wanted = promptTokens + (counts === 'prompt' ? 0 : request.answerTokens);
  if (wanted <= windowTokens) return { request: roomFor(request, windowTokens - promptTokens), promptTokens };
  const overflow = { windowTokens, promptTokens, answerTokens: request.answerTokens };
  if (reply !== 'cut') return reply(overflow);
  const kept = request.data.slice(-Math.floor((request.data.length * windowTokens) / promptTokens / 2));
  return {
    request: roomFor({ ...request, instructions: '', data: kept }, windowTokens / 2),
    promptTokens: Math.floor(windowTokens / 2),
  };
}

function roomFor(request: ZooRequest, roomTokens: number): ZooRequest {
  return { ...request, answerTokens: Math.max(0, Math.min(request.answerTokens, roomTokens)) };
}

function answerOf(cage: Cage, request: ZooRequest, promptTokens: number, isFlagged: boolean, text: string) {
  const { animal, behaviour } = cage;
  const words = finishWords[animal.protocol];
  const reasoning = behaviour === 'thinks 1,500 tokens' ? Math.min(thoughtTokens, request.answerTokens) : 0;
  const thoughts = 'Hmm, what does this word mean here? '.repeat(Math.ceil(reasoning / 9));
  const refusal = isFlagged && 'finish' in animal.refusal ? animal.refusal.finish : undefined;
  const whole = refusal === undefined ? text : refusal === 'prose' ? 'I’m sorry, but I can’t help with that.' : '';
  const needed = countTokens(whole);
  const room = request.answerTokens - reasoning;
  const isCut = needed > room;
  const shown = isCut ? whole.slice(0, Math.floor((whole.length * Math.max(0, room)) / needed)) : whole;
  const finish = refusal !== undefined && refusal !== 'prose' ? refusal : isCut ? words.length : words.stop;
  const usage: ZooUsage = {
    input: promptTokens,
    cached: cachedTokens(cage, request),
    output: reasoning + (isCut ? Math.max(0, room) : needed),
    reasoning,
  };
  return { text: shown, thoughts: reasoning === 0 ? '' : thoughts, finish, usage };
}

/** Of the front of the prompt, what an earlier one had too. */
function cachedTokens(cage: Cage, { instructions, data }: ZooRequest): number {
  const prompt = `${instructions}\n${data}`;
  const seen = Math.max(0, ...cage.prompts.map((other) => sharedFront(prompt, other)));
  cage.prompts.push(prompt);
  return cage.animal.caches?.(countTokens(prompt.slice(0, seen))) ?? 0;
}

function sharedFront(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function countAttempt(cage: Cage, fingerprint: string): number {
  const before = cage.attempts.get(fingerprint) ?? 0;
  cage.attempts.set(fingerprint, before + 1);
  return before;
}

function charge(bill: Bill, { engine: { prices } }: Animal, usage: ZooUsage): void {
  bill.input += usage.input;
  bill.cached += usage.cached;
  bill.output += usage.output;
  const per = (tokens: number, price: number): bigint => BigInt(tokens) * BigInt(Math.round(price * 1e6));
  bill.money +=
    per(usage.input - usage.cached, prices.input) +
    per(usage.cached, prices.cached_input ?? prices.input) +
    per(usage.output, prices.output);
}

function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);
}
