/** A trace collector for tests: accepts OTLP/HTTP in JSON and keeps the spans. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  role: string;
  attributes: Record<string, string | number | boolean>;
  /** 0 unset, 1 ok, 2 error. */
  status: { code?: number; message?: string };
}

export interface OtlpReceiver {
  /** What `TOLEDO_OTLP_ENDPOINT` gets. */
  url: string;
  spans: ReceivedSpan[];
  /** Resolves when such a span has come in. */
  until(wanted: (span: ReceivedSpan) => boolean): Promise<void>;
  stop(): Promise<void>;
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];
interface Export {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'role'> & { attributes: Attributes })[] }[];
  }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      const role = String(valuesOf(resource.attributes)['toledo.role']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          parentSpanId: span.parentSpanId || undefined,
          role,
          attributes: valuesOf(span.attributes),
        });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    for (const look of waiting) look();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    until: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!spans.some(wanted)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function valuesOf(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
}
