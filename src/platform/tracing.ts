/**
 * OpenTelemetry traces: one from each create call through its job to every engine call. Nothing is registered globally: the span
 * that is running travels with the asynchronous work itself, so `withSpan` needs no handle. Without a running trace it costs one
 * lookup in an empty store. Attributes hold ids, counts, languages and names of engines, never anything a partner wrote.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Log } from './log.ts';

export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface Span {
  set(attributes: SpanAttributes): void;
}

export interface Tracing {
  /**
   * Starts a trace, or continues the one that `traceparent` (W3C) names; `withSpan` inside `run` adds to it.
   * @param kind `server` answers a request, `consumer` takes a job
   */
  startTrace<T>(
    name: string,
    options: { kind: 'server' | 'consumer'; attributes: SpanAttributes; traceparent?: string | undefined },
    run: (span: Span) => Promise<T>,
  ): Promise<T>;
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>;
}

/**
 * The SDK is loaded only when there is a collector to send to.
 * @param endpoint an OTLP collector, without `/v1/traces`; undefined = no traces
 */
export async function openTracing(endpoint: string | undefined, role: string, log: Log): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { openExport } = await import('./tracing-export.ts');
  const { tracer, close } = openExport(endpoint, role, log);
  return {
    startTrace(name, { kind, attributes, traceparent }, run) {
      const parent = parseTraceparent(traceparent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const span = tracer.startSpan(
        name,
        { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CONSUMER, attributes: defined(attributes) },
        context,
      );
      return insideSpan(otelSpan(tracer, span), run);
    },
    close,
  };
}

const noTracing: Tracing = {
  startTrace: (_name, _options, run) => run(noSpan),
  close: async () => {},
};

/** A step of the trace that is running; without one, just the step. */
export function withSpan<T>(name: string, attributes: SpanAttributes, run: (span: Span) => Promise<T>): Promise<T> {
  const active = running.getStore();
  return active === undefined ? run(noSpan) : insideSpan(active.start(name, attributes), run);
}

/** What carries the running trace to another process. */
export function currentTraceparent(): string | undefined {
  return running.getStore()?.traceparent();
}

/** A span that has begun: of the SDK, or of a child process that relays its spans to its parent (`tracing-relay.ts`). */
export interface OpenSpan extends Span {
  start(name: string, attributes: SpanAttributes, startTimeMs?: number): OpenSpan;
  end(fault?: string, endTimeMs?: number): void;
  traceparent(): string | undefined;
}

export function currentSpan(): OpenSpan | undefined {
  return running.getStore();
}

/** Runs work inside a span that the caller ends. */
export function continueSpan<T>(span: OpenSpan | undefined, run: () => T): T {
  return span === undefined ? run() : running.run(span, run);
}

const running = new AsyncLocalStorage<OpenSpan>();
const noSpan: Span = { set: () => {} };

/** Runs something inside a span and ends it. */
async function insideSpan<T>(span: OpenSpan, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await running.run(span, () => run(span));
    span.end();
    return result;
  } catch (error) {
    span.end(labelOf(error));
    throw error;
  }
}

function otelSpan(tracer: Tracer, span: OtelSpan): OpenSpan {
  return {
    start(name, attributes, startTimeMs) {
      const context = trace.setSpan(ROOT_CONTEXT, span);
      const startTime = startTimeMs === undefined ? {} : { startTime: startTimeMs };
      return otelSpan(tracer, tracer.startSpan(name, { attributes: defined(attributes), ...startTime }, context));
    },
    set: (attributes) => void span.setAttributes(defined(attributes)),
    end(fault, endTimeMs) {
      if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
      span.end(endTimeMs);
    },
    traceparent() {
      const { traceId, spanId, traceFlags } = span.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
  };
}

/** The kind of an error, never its message: a message may quote a partner or an engine. */
function labelOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, kind } = error as { code?: unknown; kind?: unknown };
  return typeof code === 'string' ? code : typeof kind === 'string' ? kind : error.name;
}

function defined(attributes: SpanAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[`toledo.${name}`, value]])),
  );
}

function parseTraceparent(text: string | undefined) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
