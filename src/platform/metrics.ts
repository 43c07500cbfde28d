/** Prometheus metrics of one process. Each application has its own registry, so tests can run several. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  httpRequests: Counter<'method' | 'route' | 'status'>;
  httpDuration: Histogram<'method' | 'route'>;
  authenticationFailures: Counter<'reason'>;
  rateLimited: Counter<'scope'>;
  tasksCreated: Counter<'action'>;
  tasksEnded: Counter<'action' | 'status'>;
  creditsCharged: Counter;
  segmentsTranslated: Counter;
  engineCalls: Counter<'engine' | 'outcome'>;
  engineDuration: Histogram<'engine'>;
  engineTokens: Counter<'engine' | 'kind'>;
  engineCost: Counter<'engine'>;
  /** 0 closed, 1 probing, 2 open. */
  engineBreaker: Gauge<'engine'>;
  queueJobs: Gauge<'lane' | 'state'>;
  queueOldestSeconds: Gauge<'lane'>;
  creditsReserved: Gauge;
  /** The longest delay of each second. */
  loopDelay: Histogram<'role'>;
  webhookAttempts: Counter<'outcome'>;
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
    tasksCreated: new Counter({
      name: 'toledo_tasks_created_total',
      help: 'Tasks that this process created; replays are not counted.',
      labelNames: ['action'],
      registers,
    }),
    tasksEnded: new Counter({
      name: 'toledo_tasks_ended_total',
      help: 'Tasks that this process brought to their end.',
      labelNames: ['action', 'status'],
      registers,
    }),
    creditsCharged: new Counter({
      name: 'toledo_credits_charged_total',
      help: 'Credits charged by this process.',
      registers,
    }),
    segmentsTranslated: new Counter({
      name: 'toledo_segments_total',
      help: 'Segments accepted and committed.',
      registers,
    }),
    engineCalls: new Counter({
      name: 'toledo_engine_calls_total',
      help: 'Calls to engines by how they ended: ok, overtaken by a second call, or the kind of fault.',
      labelNames: ['engine', 'outcome'],
      registers,
    }),
    engineDuration: new Histogram({
      name: 'toledo_engine_call_duration_seconds',
      help: 'Time an engine took to answer.',
      labelNames: ['engine'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160],
      registers,
    }),
    engineTokens: new Counter({
      name: 'toledo_engine_tokens_total',
      help: 'Tokens as counted by the engine.',
      labelNames: ['engine', 'kind'],
      registers,
    }),
    engineCost: new Counter({
      name: 'toledo_engine_cost_total',
      help: 'What calls cost, in the currency of the prices of the engine; calls without a reported usage are estimated.',
      labelNames: ['engine'],
      registers,
    }),
    engineBreaker: new Gauge({
      name: 'toledo_engine_breaker_state',
      help: 'Circuit breaker: 0 closed, 1 probing, 2 open.',
      labelNames: ['engine'],
      registers,
    }),
    queueJobs: new Gauge({
      name: 'toledo_queue_jobs',
      help: 'Jobs in the queue.',
      labelNames: ['lane', 'state'],
      registers,
    }),
    queueOldestSeconds: new Gauge({
      name: 'toledo_queue_oldest_seconds',
      help: 'Age of the oldest waiting job.',
      labelNames: ['lane'],
      registers,
    }),
    loopDelay: new Histogram({
      name: 'toledo_event_loop_delay_seconds',
      help: 'How late the process came to its own work: the longest delay of each second.',
      labelNames: ['role'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    creditsReserved: new Gauge({
      name: 'toledo_credits_reserved',
      help: 'Credits held for unfinished tasks.',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'toledo_webhook_attempts_total',
      help: 'Requests to webhooks by how they ended: delivered, or the kind of fault.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

/** The metrics of this process and of others on the machine, as one text. */
export async function metricsText(own: Registry, others: readonly object[]): Promise<string> {
  if (others.length === 0) return await own.metrics();
  return await AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...others] as never).metrics();
}
