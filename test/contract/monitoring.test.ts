import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { createMetrics } from '../../src/platform/metrics.ts';

const read = (path: string) => readFileSync(path, 'utf8');

interface Registered {
  name: string;
  type: string;
  labelNames: string[];
}
const { registry } = createMetrics();
const registered = new Map(
  (registry.getMetricsAsArray() as unknown as Registered[]).map((metric) => [metric.name, metric]),
);
/** What Prometheus and the adapter add. */
const addedLabels = ['instance', 'job', 'namespace', 'pod', 'le'];

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}
const rules: Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}
const dashboard: { panels: Panel[]; templating: { list: { name: string; definition?: string }[] } } = JSON.parse(
  read('deploy/grafana/toledo.json'),
);

const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.flatMap(({ name, definition }) => (definition ? [[name, definition] as const] : [])),
  [
    'autoscaler',
    parse(read('deploy/kubernetes/prometheus-adapter.yaml')).rules.external[0].metricsQuery as string,
  ] as const,
];

test('alerts, dashboard and autoscaler ask only for metrics that the service has', () => {
  assert.ok(queries.length > 20);
  for (const [where, query] of queries) {
    const names = [...query.matchAll(/\btoledo_\w+/g)].map(([name]) => name);
    assert.ok(names.length > 0, where);
    for (const name of names) assert.ok(metricOf(name), `${where}: ${name}`);
  }
});

test('they use only labels that those metrics have', () => {
  for (const [where, query] of queries) {
    const known = new Set(addedLabels);
    for (const [name] of query.matchAll(/\btoledo_\w+/g))
      for (const label of metricOf(name)?.labelNames ?? []) known.add(label);
    const selected = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
      [...(inside as string).matchAll(/(\w+)\s*[!=]=?~?\s*"/g)].map((match) => match[1] as string),
    );
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside]) =>
      (inside as string).split(',').map((label) => label.trim()),
    );
    for (const label of [...selected, ...grouped])
      assert.ok(known.has(label) || label.startsWith('<<.'), `${where}: ${label}`);
  }
});

test('every query is balanced, and counters are looked at as rates', () => {
  for (const [where, query] of queries) {
    const bare = query.replace(/"[^"]*"/g, '""');
    for (const [open, close] of ['()', '{}', '[]'] as unknown as [string, string][])
      assert.equal(bare.split(open).length, bare.split(close).length, where);
    for (const [, name] of bare.matchAll(/(toledo_\w+)/g)) {
      const metric = metricOf(name as string);
      if (metric?.type === 'gauge') continue;
      assert.match(bare, new RegExp(`(rate|increase)\\(${name}(\\{[^}]*\\})?\\[`), `${where}: ${name}`);
    }
  }
});

test('every alert says how bad it is and what is wrong', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    assert.ok(['critical', 'warning'].includes(labels.severity), alert);
    assert.ok(annotations.summary.length > 20, alert);
  }
});

test('panels of the dashboard do not overlap and have ids of their own', () => {
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const taken = new Map<string, string>();
  for (const { title, gridPos } of dashboard.panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x},${y}`), `${title} lies on ${taken.get(`${x},${y}`)}`);
        taken.set(`${x},${y}`, title);
      }
  }
});

test('docs/operating/health-and-metrics.md lists every metric of our own, with its labels', () => {
  const rows = [...read('docs/operating/health-and-metrics.md').matchAll(/^\| `(toledo_\w+)` \| (.*?) \|/gm)];
  const shown = rows.map(([, name, labels]) => [
    name,
    [...(labels as string).replace(/:.*/, '').matchAll(/(?:^|, )`(\w+)`/g)].map((label) => label[1]),
  ]);
  const own = [...registered.values()].filter(({ name }) => !/^toledo_(process|nodejs)_/.test(name));
  assert.deepEqual(
    Object.fromEntries(shown),
    Object.fromEntries(own.map(({ name, labelNames }) => [name, labelNames])),
  );
});

/** A histogram is asked for by its series. */
function metricOf(name: string): Registered | undefined {
  const base = registered.get(name.replace(/_(bucket|sum|count)$/, ''));
  return registered.get(name) ?? (base?.type === 'histogram' ? base : undefined);
}
