import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import { EngineError, type EngineFaultKind } from '../../src/engines/engine-error.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A server in virtual time: capacity, latency, outages. Several engines may share one. */
export interface VirtualServer {
  capacity: number;
  retryAfterMs: number | undefined;
  /** Thrown for every call while set. */
  fault: EngineFaultKind | undefined;
  faultRetryAfterMs: number | undefined;
  /** Instead of refusing above capacity, calls wait in line. */
  queues: boolean;
  /** It tells when an answer begins; else only the whole answer is seen. */
  streams: boolean;
  /** Whether the call with this number, from 0, is never answered. */
  hangs: (call: number, request: TranslateRequest) => boolean;
  calls: { at: number; refused: boolean; blocks: number }[];
  /** Calls that are being served. */
  readonly active: number;
  highWater: number;
  engine(options?: { name?: string; maxConcurrency?: number }): Engine;
}

export function createVirtualServer(
  clock: VirtualClock,
  options: { capacity?: number; latencyMs?: number; perTokenMs?: number; refusalMs?: number } = {},
): VirtualServer {
  const { latencyMs = 600, perTokenMs = 20, refusalMs = 30 } = options;
  let active = 0;
  const line: (() => void)[] = [];

  const serve: Engine['translate'] = async (request, signal, notes) => {
    const call = { at: clock.now(), refused: false, blocks: request.blocks.length };
    server.calls.push(call);
    if (server.fault !== undefined) {
      const { fault, faultRetryAfterMs: retryAfterMs } = server;
      await clock.sleep(refusalMs, signal);
      throw new EngineError(fault, 'as scripted', retryAfterMs === undefined ? {} : { retryAfterMs });
    }
    if (active >= server.capacity) {
      if (server.queues) await new Promise<void>((resolve) => line.push(resolve));
      else {
        call.refused = true;
        await clock.sleep(refusalMs, signal);
        const { retryAfterMs } = server;
        throw new EngineError('rate-limited', 'full', retryAfterMs === undefined ? {} : { retryAfterMs });
      }
    }
    active += 1;
    server.highWater = Math.max(server.highWater, active);
    const tokens = Number(request.brief?.style ?? 900);
    try {
      if (server.hangs(server.calls.indexOf(call), request)) await clock.sleep(600_000, signal);
      else {
        await clock.sleep(latencyMs, signal);
        if (server.streams) notes?.onWords?.();
        await clock.sleep(perTokenMs * tokens, signal);
      }
    } finally {
      active -= 1;
      line.shift()?.();
    }
    return {
      translations: new Map(request.blocks.map((block) => [block.id, block.text])),
      finish: 'complete',
      usage: { inputTokens: 0, outputTokens: tokens, cachedInputTokens: 0 },
    };
  };

  const server: VirtualServer = {
    capacity: options.capacity ?? Number.POSITIVE_INFINITY,
    retryAfterMs: undefined,
    fault: undefined,
    faultRetryAfterMs: undefined,
    queues: false,
    streams: false,
    hangs: () => false,
    get active() {
      return active;
    },
    calls: [],
    highWater: 0,
    engine: ({ name = 'virtual', maxConcurrency = 128 } = {}) => ({
      name,
      capabilities: { followsInstructions: true, keepsInlineTags: true, maxInputCharacters: 6_000, maxConcurrency },
      translate: serve,
    }),
  };
  return server;
}

/** A request that costs the server so many answer tokens. */
export function requestOf(tokens: number, id = '1'): TranslateRequest {
  return {
    sourceLang: 'zh-Hans',
    targetLang: 'en',
    blocks: [{ id, text: 'x' }],
    terms: [],
    roster: [],
    context: { before: [], after: [] },
    brief: { style: String(tokens), core: [] },
  };
}
