import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type CallLog, createCallLog, type SimulatedCall } from './call-log.ts';
import { answerPrompt, type FakeModelOptions } from './fake-model.ts';
import { chooseFault, type FaultKind, type FaultPlan } from './faults.ts';
import { type Protocol, protocolFor, type WireRequest } from './protocols.ts';
import { readPrompt } from './read-prompt.ts';
import { countTokens } from './tokens.ts';

export interface SimulatedLlmOptions extends FaultPlan, FakeModelOptions {
  /** Before the first token. */
  latencyMs: number;
  perTokenMs: number;
  /** Multiplies every duration, the waits in Retry-After included: 0.01 makes a minute 600 ms. */
  timeScale: number;
  /** Calls served at once; one more is answered 429. */
  capacity: number;
  /** Retry-After of a 429 for capacity, in unscaled seconds; undefined = no header. */
  capacityRetryAfterSeconds: number | undefined;
  /** A call that hangs loses its connection after this long; not scaled. */
  hangMs: number;
  /** A scripted fault for the next calls, before any drawn one: shifted call by call, `ok` = none. */
  script: (FaultKind | 'ok')[];
  /** Answered to every call while set. */
  outage: FaultKind | undefined;
  port: number;
}

export interface SimulatedLlm {
  /** Base for `openai-compatible` and `openai` engines. Anthropic: the same; Google: the same. */
  url: string;
  port: number;
  log: CallLog;
  options: SimulatedLlmOptions;
  /** Changes anything in mid-run: capacity, faults, outage, script. */
  configure(changes: Partial<SimulatedLlmOptions>): void;
  /** As if it had just been started with these options. */
  renew(options: Partial<SimulatedLlmOptions>): void;
  /** Closes the listening socket and every connection: new calls are refused. `listen` opens the same port again. */
  unlisten(): Promise<void>;
  listen(): Promise<void>;
  stop(): Promise<void>;
}

export const simulatedLlmDefaults: SimulatedLlmOptions = {
  seed: 1,
  faultRate: 0,
  faults: [],
  names: [],
  extractionNoise: 0,
  orders: [],
  obey: 'never',
  latencyMs: 600,
  perTokenMs: 20,
  timeScale: 1,
  capacity: Number.POSITIVE_INFINITY,
  capacityRetryAfterSeconds: undefined,
  hangMs: 600_000,
  script: [],
  outage: undefined,
  port: 0,
};

/** A real HTTP server that speaks three providers' protocols and fails exactly as configured. */
export async function startSimulatedLlm(options: Partial<SimulatedLlmOptions> = {}): Promise<SimulatedLlm> {
  const settings = startSettings(options);
  const log = createCallLog();
  const sockets = new Set<Socket>();
  const attempts = new Map<string, number>();
  let active = 0;
  let server: Server | undefined;
  let port = settings.port;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://sim').pathname;
    const body = await readBody(request);
    if (path.startsWith('/_sim/')) return control(path, body, response);
    const protocol = protocolFor(path);
    if (protocol === undefined) return sendJson(response, 404, { error: { message: `no route ${path}` } });
    let wire: WireRequest;
    try {
      wire = protocol.read(JSON.parse(body));
    } catch {
      return sendJson(response, 400, { error: { message: 'the body is not JSON' } });
    }
    if (path.endsWith(':streamGenerateContent')) wire.stream = true;
    if (active >= settings.capacity) {
      log.rejectedForCapacity(active);
      return sendFault(
        response,
        protocol,
        429,
        'rate',
        'Too many requests at once',
        settings.capacityRetryAfterSeconds,
      );
    }
    active += 1;
    try {
      await serve(request, response, protocol, wire, body.length);
    } finally {
      active -= 1;
    }
  };

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    protocol: Protocol,
    wire: WireRequest,
    bodyCharacters: number,
  ): Promise<void> => {
    const arrivedAt = performance.now();
    const prompt = readPrompt(wire.instructions, wire.data);
    const fingerprint =
      prompt.task === 'extract' || prompt.task === 'sheet'
        ? prompt.text
        : prompt.lines.map((line) => line.text).join('\u0000');
    const attempt = attempts.get(fingerprint) ?? 0;
    attempts.set(fingerprint, attempt + 1);
    const scripted = settings.script.shift();
    const drawn = settings.outage ?? scripted ?? chooseFault(settings, fingerprint, attempt);
    const fault = drawn === 'ok' ? undefined : drawn;
    const answer = answerPrompt(prompt, settings, { fault, fingerprint, attempt, schema: wire.schema });
    const call: Omit<SimulatedCall, 'repeatedCharacters'> = {
      protocol: protocol.name,
      task: prompt.task,
      fault,
      fingerprint,
      schema: wire.schema,
      tools: wire.tools,
      promptCharacters: wire.instructions.length + wire.data.length,
      bodyCharacters,
      sourceCharacters:
        prompt.task === 'extract' || prompt.task === 'sheet'
          ? prompt.text.length
          : sum(prompt.lines.map((line) => line.text.length)),
      lines: prompt.lines.length,
      inputTokens: countTokens(wire.instructions) + countTokens(wire.data),
      outputTokens: countTokens(answer.text),
      idealOutputTokens: countTokens(answer.ideal),
      instructions: wire.instructions,
      data: wire.data,
    };
    const done = log.started(call, active, arrivedAt);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      if (fault !== undefined && (await failInstead(fault, request, response, protocol, gone.signal))) return;
      const usage = { input: call.inputTokens, cached: 0, output: call.outputTokens };
      const fullMs = (settings.latencyMs + settings.perTokenMs * call.outputTokens) * settings.timeScale;
      // What it takes to make the answer up is a part of the time that the answer is said to take.
      const workMs = Math.max(0, fullMs - (performance.now() - arrivedAt));
      if (wire.stream) {
        const firstMs = Math.min(workMs, settings.latencyMs * settings.timeScale);
        const events = protocol.events(answer, usage, wire.model);
        await streamAnswer(response, events, { firstMs, restMs: workMs - firstMs }, gone.signal);
      } else {
        await pause(workMs, gone.signal);
        if (!gone.signal.aborted) sendJson(response, 200, protocol.answer(answer, usage, wire.model));
      }
    } finally {
      done(gone.signal.aborted && !response.writableFinished);
    }
  };

  /** True when the fault took the place of the answer. */
  const failInstead = async (
    fault: FaultKind,
    request: IncomingMessage,
    response: ServerResponse,
    protocol: Protocol,
    gone: AbortSignal,
  ): Promise<boolean> => {
    const rate = (seconds?: number, asDate = false): boolean => {
      sendFault(response, protocol, 429, 'rate', 'Rate limit reached', seconds, asDate);
      return true;
    };
    switch (fault) {
      case 'rate-limit-1':
        return rate(1);
      case 'rate-limit-120':
        return rate(120);
      case 'rate-limit-date':
        return rate(2, true);
      case 'rate-limit-none':
        return rate();
      case 'spend-limit':
        sendFault(
          response,
          protocol,
          429,
          'quota',
          'You exceeded your current quota; check your plan and billing details.',
        );
        return true;
      case 'server-500':
        sendFault(response, protocol, 500, 'server', 'Internal error');
        return true;
      case 'server-503':
        sendFault(response, protocol, 503, 'server', 'Unavailable');
        return true;
      case 'overloaded-529':
        sendFault(response, protocol, 529, 'server', 'Overloaded');
        return true;
      case 'refused-connection':
        request.socket.resetAndDestroy();
        return true;
      case 'hang-before':
        await pause(settings.hangMs, gone);
        request.socket.destroy();
        return true;
      case 'hang-during':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"id":"half an ans');
        await pause(settings.hangMs, gone);
        request.socket.destroy();
        return true;
      case 'reset':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"id":"half an ans');
        await pause(5 * settings.timeScale, gone);
        request.socket.resetAndDestroy();
        return true;
      default:
        return false;
    }
  };

  const sendFault = (
    response: ServerResponse,
    protocol: Protocol,
    status: number,
    kind: 'rate' | 'quota' | 'server',
    message: string,
    retryAfterSeconds?: number,
    asDate = false,
  ): void => {
    const headers: Record<string, string> = {};
    if (retryAfterSeconds !== undefined) {
      const waitMs = retryAfterSeconds * 1000 * settings.timeScale;
      // The standard header counts in whole seconds; a scaled wait needs the finer one that some providers send.
      if (asDate) headers['retry-after'] = new Date(Date.now() + Math.max(1000, waitMs)).toUTCString();
      else if (waitMs % 1000 === 0) headers['retry-after'] = String(waitMs / 1000);
      else headers['retry-after-ms'] = String(Math.ceil(waitMs));
    }
    sendJson(response, status, protocol.fault(status, kind, message), headers);
  };

  const control = (path: string, body: string, response: ServerResponse): void => {
    if (path === '/_sim/configure') {
      // JSON has no undefined, which is what ends an outage.
      const changes = Object.entries(JSON.parse(body)).map(([name, value]) => [name, value ?? undefined]);
      Object.assign(settings, Object.fromEntries(changes));
    }
    if (path === '/_sim/reset') log.reset();
    sendJson(response, 200, path === '/_sim/calls' ? log.brief() : { ...log.totals(), active });
  };

  const listen = async (): Promise<void> => {
    const opened = createServer((request, response) => {
      handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    opened.keepAliveTimeout = 30_000;
    opened.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject);
      opened.listen(port, '127.0.0.1', () => resolve());
    });
    port = (opened.address() as AddressInfo).port;
    server = opened;
  };

  const unlisten = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await listen();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    log,
    options: settings,
    configure: (changes) => {
      Object.assign(settings, changes);
    },
    renew: (changes) => {
      const unset = Object.keys(settings).map((name) => [name, undefined]);
      Object.assign(settings, Object.fromEntries(unset), startSettings(changes));
      attempts.clear();
      log.reset();
    },
    listen,
    unlisten,
    stop: unlisten,
  };
}

function startSettings(options: Partial<SimulatedLlmOptions>): SimulatedLlmOptions {
  return { ...simulatedLlmDefaults, ...options, script: [...(options.script ?? [])] };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function streamAnswer(
  response: ServerResponse,
  events: { event?: string; data: string }[],
  { firstMs, restMs }: { firstMs: number; restMs: number },
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await pause(firstMs, gone);
  for (const { event, data } of events) {
    await pause(restMs / events.length, gone);
    if (gone.aborted) return;
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  }
  response.end();
}

function pause(durationMs: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const timer = setTimeout(finish, durationMs);
    function finish(): void {
      clearTimeout(timer);
      gone.removeEventListener('abort', finish);
      resolve();
    }
    gone.addEventListener('abort', finish);
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
