/** Prometheus metrics of one process. Each application has its own registry, so tests can run several. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'toledo_' });
  const described = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => {
    return { name: `toledo_${name}`, help, labelNames, registers: [registry] };
  };
  const counter = <Label extends string>(name: string, help: string, ...labels: Label[]) =>
    new Counter(described(name, help, labels));
  const gauge = <Label extends string>(name: string, help: string, ...labels: Label[]) =>
    new Gauge(described(name, help, labels));
  const seconds = <Label extends string>(name: string, help: string, buckets: number[], ...labels: Label[]) =>
    new Histogram({ ...described(name, help, labels), buckets });
  const httpBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
  const httpHelp = 'Time from the request line to the end of the answer.';
  const engineBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
  const limitHelp = 'Requests refused by a limit: of the key, or of the address after failed authentications.';
  const callsHelp = 'Calls to engines by how they ended: ok, overtaken by a second call, or the kind of fault.';
  const costHelp =
    'What calls cost, in the currency of the prices of the engine; calls without a reported usage are estimated.';
  const webhookHelp = 'Requests to webhooks by how they ended: delivered, or the kind of fault.';
  return {
    registry,
    httpRequests: counter('http_requests_total', 'Answered HTTP requests.', 'method', 'route', 'status'),
    httpDuration: seconds('http_request_duration_seconds', httpHelp, httpBuckets, 'method', 'route'),
    authenticationFailures: counter('authentication_failures_total', 'Requests without an acceptable key.', 'reason'),
    rateLimited: counter('rate_limited_total', limitHelp, 'scope'),
    tasksCreated: counter('tasks_created_total', 'Tasks that this process created; replays are not counted.', 'action'),
    tasksEnded: counter('tasks_ended_total', 'Tasks that this process brought to their end.', 'action', 'status'),
    creditsCharged: counter('credits_charged_total', 'Credits charged by this process.'),
    segmentsTranslated: counter('segments_total', 'Segments accepted and committed.'),
    engineCalls: counter('engine_calls_total', callsHelp, 'engine', 'outcome'),
    engineDuration: seconds('engine_call_duration_seconds', 'Time an engine took to answer.', engineBuckets, 'engine'),
    engineTokens: counter('engine_tokens_total', 'Tokens as counted by the engine.', 'engine', 'kind'),
    engineCost: counter('engine_cost_total', costHelp, 'engine'),
    engineBreaker: gauge('engine_breaker_state', 'Circuit breaker: 0 closed, 1 probing, 2 open.', 'engine'),
    queueJobs: gauge('queue_jobs', 'Jobs in the queue.', 'lane', 'state'),
    queueOldestSeconds: gauge('queue_oldest_seconds', 'Age of the oldest waiting job.', 'lane'),
    creditsReserved: gauge('credits_reserved', 'Credits held for unfinished tasks.'),
    webhookAttempts: counter('webhook_attempts_total', webhookHelp, 'outcome'),
  };
}

/** The metrics of this process and of others on the machine, as one text. */
export async function metricsText(own: Registry, others: readonly object[]): Promise<string> {
  if (others.length === 0) return await own.metrics();
  return await AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...others] as never).metrics();
}
