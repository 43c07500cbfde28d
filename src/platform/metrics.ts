/** Prometheus metrics of one process. A registry of its own per application, so tests can run several. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  httpRequests: Counter<'method' | 'route' | 'status'>;
  httpDuration: Histogram<'method' | 'route'>;
  authenticationFailures: Counter<'reason'>;
  rateLimited: Counter<'scope'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'toledo_' });
  const registers = [registry];
  return {
    registry,
    httpRequests: new Counter({
      name: 'toledo_http_requests_total',
      help: 'Answered HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'toledo_http_request_duration_seconds',
      help: 'Time from the request line to the end of the answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    authenticationFailures: new Counter({
      name: 'toledo_authentication_failures_total',
      help: 'Requests without an acceptable key.',
      labelNames: ['reason'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'toledo_rate_limited_total',
      help: 'Requests refused by a limit: of the key, or of the address after failed authentications.',
      labelNames: ['scope'],
      registers,
    }),
  };
}
