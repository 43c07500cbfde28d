/** The OpenTelemetry SDK with its OTLP/HTTP exporter, loaded only where traces are sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';

/** A novel of 1,000 segments ends some 2,000 spans in a burst when the engine is fast; a full queue drops spans, not work. */
const maxQueuedSpans = 8_192;
const exportIntervalMs = 1_000;
const exportTimeoutMs = 5_000;
/** A stop has 20 s in total, and traces are the least important thing to save. */
const closeTimeoutMs = 2_000;
const warningIntervalMs = 60_000;

export function openExport(endpoint: string, role: string, log: Log): { tracer: Tracer; close: () => Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'toledo', 'toledo.role': role }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: telling(exporter, log),
        maxQueueSize: maxQueuedSpans,
        maxExportBatchSize: 512,
        scheduledDelayMillis: exportIntervalMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('toledo'),
    async close() {
      await Promise.race([provider.shutdown().catch(() => {}), sleep(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** The SDK loses batches silently; we log an unreachable collector once a minute. */
function telling(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.code !== 0 && now - warnedAtMs > warningIntervalMs) {
          warnedAtMs = now;
          log.warn({ err: result.error, spans: spans.length }, 'traces could not be sent');
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}
