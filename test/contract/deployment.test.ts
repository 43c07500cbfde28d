import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, settingNames } from '../../src/config.ts';
import { openEngines } from '../../src/engines/open-engines.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { parseStorageUrl } from '../../src/platform/storage/storage-url.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  configs: Record<string, unknown>;
};
const manifests: Manifest[] = globSync('deploy/kubernetes/*.yaml')
  .filter((path) => !path.endsWith('prometheus-adapter.yaml'))
  .flatMap((path) =>
    parseAllDocuments(read(path)).map((document) => {
      assert.deepEqual(document.errors, [], path);
      return document.toJS() as Manifest;
    }),
  );
const kind = (name: string) => manifests.filter((manifest) => manifest.kind === name);

interface ComposeService {
  image: string;
  build?: { args: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, unknown> | string[];
  volumes?: string[];
  deploy?: { replicas: number };
}
type Labels = Record<string, string>;
interface Container {
  image: string;
  args: string[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface PolicyRule {
  ports?: { port: number }[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  resources?: string[];
  spec: {
    replicas: number;
    selector: Labels & { matchLabels: Labels };
    template: {
      metadata: { labels: Labels };
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: { runAsNonRoot: boolean; runAsUser: number };
        containers: Container[];
        volumes: { name: string }[];
      };
    };
    ports: { targetPort: string }[];
    scaleTargetRef: { kind: string; name: string };
    minReplicas: number;
    maxReplicas: number;
    metrics: { external?: { metric: { name: string } } }[];
    podSelector?: { matchLabels?: Labels };
    policyTypes?: string[];
    ingress?: PolicyRule[];
    egress?: PolicyRule[];
  };
}

test('every TOLEDO_ variable in the deployment is a setting', () => {
  const known = new Set(settingNames);
  for (const path of ['Dockerfile', 'compose.yaml', ...globSync('deploy/**/*.yaml')]) {
    const used = new Set([...read(path).matchAll(/\bTOLEDO_[A-Z_]+\b/g)].map(([name]) => name));
    assert.deepEqual(
      [...used].filter((name) => !known.has(name)),
      [],
      path,
    );
  }
});

test('the settings of the Kubernetes manifests and of compose.yaml are accepted at start', () => {
  const { data } = kind('ConfigMap')[0] as Manifest;
  const [stringData, engineKey] = kind('Secret').map((secret) => secret.stringData ?? {});
  const filledIn = {
    POSTGRES_PASSWORD: 'x',
    STORAGE_ACCESS_KEY: 'x',
    STORAGE_SECRET_KEY: 'x',
    TOLEDO_SECRET: 'x'.repeat(32),
  };
  for (const environment of [
    { ...data, ...stringData },
    { ...data, ...stringData, ...engineKey },
    substituted(compose.services.api?.environment ?? {}, filledIn),
    substituted(compose.services.worker?.environment ?? {}, filledIn),
  ]) {
    const config = loadConfig(environment);
    assert.equal(parseStorageUrl(config.storage).kind, 's3', 'several processes share a bucket, not a disk');
    assert.ok(config.databaseUrl && config.secret, 'several processes share a database and a secret');
    assert.ok(environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY);
  }
});

test('compose.yaml runs two of each role on services that it defines, and holds no secret', () => {
  const { services } = compose;
  for (const [name, role] of Object.entries({ api: 'api', worker: 'worker' })) {
    assert.deepEqual(services[name]?.command, ['serve', '--role', role]);
    assert.equal(services[name]?.deploy?.replicas, 2);
  }
  for (const [name, service] of Object.entries(services)) {
    const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
    for (const other of needed) assert.ok(services[other], `${name} needs ${other}`);
    for (const volume of service.volumes ?? []) assert.ok((volume.split(':')[0] as string) in compose.volumes, volume);
    for (const [variable, value] of Object.entries(service.environment ?? {}))
      if (/PASSWORD|SECRET|_KEY/.test(variable)) assert.match(value, /^\$\{\w+(:[?-].*)?\}$/, `${name} ${variable}`);
  }
});

test('the image runs as an ordinary user, without development packages, and tells its health', () => {
  const users = [...dockerfile.matchAll(/^USER (\S+)$/gm)].map((match) => match[1]);
  assert.deepEqual(users, ['10001:10001']);
  assert.match(dockerfile, /npm ci --omit=dev/);
  assert.match(dockerfile, /HEALTHCHECK[\s\S]*\/readyz/);
});

test('every image of others names its version, and an operator can pin it by digest without editing a file', () => {
  const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1] as string;
  const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
  for (const stage of stages) assert.match(stage as string, /^\$\{NODE_IMAGE\}$/);
  assert.equal(substituted(compose.services.api?.build?.args ?? {}, {}).NODE_IMAGE, base);
  const images = Object.values(compose.services).filter(({ build }) => build === undefined).map(({ image }) => image); // biome-ignore format: one line
  assert.equal(images.length, 4);
  const pinned = 'name:1@sha256:0';
  for (const image of images) {
    const [, name = ''] = /^\$\{(\w+_IMAGE):-/.exec(image) ?? [];
    assert.equal(substituted({ image }, { [name]: pinned }).image, pinned, image);
    assert.match(substituted({ image }, {}).image as string, /:(?!latest$)[\w.-]+$/, image);
    assert.match(read('docs/operating/deployment.md'), new RegExp(`\`${name}\``));
  }
  assert.match(base, /:(?!latest$)[\w.-]+$/);
});

test('the image holds everything that the code imports or reads, and the builder gets nothing else', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
    (match[1] as string).split(' '),
  );
  const sent = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map((match) => match[1] as string);
  assert.deepEqual([...new Set(copied)].sort(), sent.sort());
  for (const path of copied) assert.ok(existsSync(path), path);
  const needed = new Set<string>();
  for (const file of globSync('src/**/*.ts')) {
    for (const [, target] of read(file).matchAll(/'(\.\.\/[^'\s]+)'/g)) {
      const path = normalize(join(dirname(file), target as string));
      // The root itself is where the image has everything.
      if (path !== './' && !path.startsWith('src/') && !path.startsWith('..') && existsSync(path))
        needed.add(path.split('/')[0] as string);
    }
  }
  assert.ok(needed.has('migrations'));
  assert.deepEqual(
    [...needed].filter((path) => !copied.includes(path)),
    [],
  );
});

test('each Deployment is probed, restricted, and stops within its grace period', () => {
  const deployments = kind('Deployment');
  assert.deepEqual(deployments.map(({ metadata }) => metadata.name).sort(), ['toledo-api', 'toledo-worker']);
  for (const { metadata, spec } of deployments) {
    const role = metadata.name.replace('toledo-', '');
    const pod = spec.template.spec;
    const [container] = pod.containers as [Container];
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
    assert.deepEqual(container.args, ['serve', '--role', role]);
    assert.equal(container.startupProbe.httpGet.path, '/healthz');
    assert.equal(container.livenessProbe.httpGet.path, '/healthz');
    assert.equal(container.readinessProbe.httpGet.path, '/readyz');
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      assert.ok(container.ports.some((port) => port.name === probe.httpGet.port));
    assert.equal(String(container.ports[0]?.containerPort), kind('ConfigMap')[0]?.data?.TOLEDO_PORT);
    assert.ok(pod.terminationGracePeriodSeconds >= (container.lifecycle?.preStop.sleep.seconds ?? 0) + 20);
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    for (const mount of container.volumeMounts) assert.ok(pod.volumes.some((volume) => volume.name === mount.name));
    for (const { configMapRef, secretRef } of container.envFrom) {
      if (configMapRef) assert.equal(configMapRef.name, kind('ConfigMap')[0]?.metadata.name);
      if (secretRef) assert.ok(kind('Secret').some(({ metadata }) => metadata.name === secretRef.name));
    }
  }
});

test('API pods hold no key of an engine: they start without one, workers do not', async () => {
  const secrets = kind('Secret');
  const environmentOf = (name: string) => {
    const pod = kind('Deployment').find(({ metadata }) => metadata.name === name)?.spec.template.spec;
    const names = (pod?.containers[0]?.envFrom ?? []).flatMap(({ secretRef }) => secretRef?.name ?? []);
    const values = secrets.filter(({ metadata }) => names.includes(metadata.name)).map(({ stringData }) => stringData);
    return Object.assign({}, kind('ConfigMap')[0]?.data, ...values) as Record<string, string>;
  };
  assert.equal(environmentOf('toledo-api').TOLEDO_ENGINE_API_KEY, undefined);
  assert.ok(environmentOf('toledo-worker').TOLEDO_ENGINE_API_KEY);
  assert.ok(!('TOLEDO_ENGINE_API_KEY' in (compose.services.api?.environment ?? {})));
  assert.ok(compose.services.worker?.environment?.TOLEDO_ENGINE_API_KEY);
  for (const kindOfEngine of ['openai', 'anthropic', 'google', 'deepl']) {
    const engine = { TOLEDO_ENGINE: kindOfEngine, TOLEDO_ENGINE_BASE_URL: '' };
    const model = kindOfEngine === 'deepl' ? { TOLEDO_ENGINE_MODEL: '' } : {};
    const config = loadConfig({ ...environmentOf('toledo-api'), ...engine, ...model });
    (await openEngines(config, createMetrics(), { keys: 'elsewhere' })).close();
    await assert.rejects(
      openEngines(config, createMetrics(), { keys: 'needed' }),
      /TOLEDO_ENGINE_API_KEY is missing/,
      kindOfEngine,
    );
  }
});

test('budgets, autoscalers and the Service point at what exists', () => {
  const deployments = kind('Deployment');
  const labelled = (labels: Labels) =>
    deployments.filter(({ spec }) =>
      Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
    );
  const budgets = kind('PodDisruptionBudget').map(({ spec }) => labelled(spec.selector.matchLabels));
  assert.deepEqual(
    budgets.map((found) => found.map(({ metadata }) => metadata.name)),
    [['toledo-api'], ['toledo-worker']],
  );
  for (const { spec } of kind('Service')) {
    const [deployment, ...others] = labelled(spec.selector);
    assert.equal(others.length, 0);
    const ports = deployment?.spec.template.spec.containers[0]?.ports ?? [];
    assert.ok(spec.ports.every(({ targetPort }) => ports.some((port) => port.name === targetPort)));
  }
  const scalers = kind('HorizontalPodAutoscaler');
  assert.equal(scalers.length, 2);
  for (const { spec } of scalers) {
    const target = deployments.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
    assert.ok(target && spec.minReplicas <= target.spec.replicas && target.spec.replicas <= spec.maxReplicas);
  }
  const metrics = scalers.flatMap(({ spec }) => spec.metrics.flatMap(({ external }) => external?.metric.name ?? []));
  assert.deepEqual(metrics, ['toledo_queue_jobs']);
  const adapter = parse(read('deploy/kubernetes/prometheus-adapter.yaml'));
  assert.equal(adapter.rules.external[0].name.as, 'toledo_queue_jobs');
});

test('nothing is reachable but what a NetworkPolicy lists: the API by the ingress, metrics by Prometheus, out to what is needed', () => {
  const policies = Object.fromEntries(kind('NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]));
  const { podSelector, policyTypes } = policies['toledo-default-deny'] ?? {};
  assert.deepEqual([podSelector, policyTypes], [{}, ['Ingress', 'Egress']]);
  const portsOf = (rules: PolicyRule[] = []) => rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port));
  const { TOLEDO_PORT, TOLEDO_METRICS_PORT } = kind('ConfigMap')[0]?.data ?? {};
  assert.deepEqual(portsOf(policies['toledo-api-ingress']?.ingress), [Number(TOLEDO_PORT)]);
  assert.deepEqual(portsOf(policies['toledo-metrics']?.ingress), [Number(TOLEDO_METRICS_PORT)]);
  assert.deepEqual(portsOf(policies['toledo-egress']?.egress), [53, 53, 5432, 443]);
  const pods = kind('Deployment').map(({ spec }) => spec.template.metadata.labels);
  for (const [name, { podSelector: selector }] of Object.entries(policies)) {
    const labels = Object.entries(selector?.matchLabels ?? {});
    const found = pods.filter((pod) => labels.every(([label, value]) => pod[label] === value));
    assert.equal(found.length, name === 'toledo-api-ingress' ? 1 : 2, name);
  }
});

test('kustomization.yaml takes in every manifest but the template of the Secret', () => {
  const files = globSync('deploy/kubernetes/*.yaml').map((path) => path.split('/').at(-1) as string);
  const apart = ['kustomization.yaml', 'secret.example.yaml', 'prometheus-adapter.yaml'];
  assert.deepEqual(
    kind('Kustomization')[0]?.resources?.toSorted(),
    files.filter((file) => !apart.includes(file)).sort(),
  );
  for (const { kind: what, metadata } of manifests)
    if (what !== 'Kustomization' && what !== 'Namespace') assert.equal(metadata.namespace, 'toledo');
});

test('the image keeps of the engine runtime only what its own processor runs', () => {
  const removal = /find (node_modules\/onnxruntime-node\/bin .*) -exec rm -rf \{\} \+/.exec(dockerfile)?.[1];
  assert.ok(removal !== undefined);
  const removed = execFileSync('sh', ['-c', `find ${removal}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .sort();
  const all = globSync('node_modules/onnxruntime-node/bin/*/*/*').sort();
  const kept = all.filter((path) => !removed.includes(path));
  assert.deepEqual(
    kept.map((path) => path.split('/').slice(-2).join('/')),
    [`linux/${process.arch}`],
  );
});

/** What Compose does with `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
function substituted(environment: Record<string, string>, values: Record<string, string>): Record<string, string> {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_whole, name: string, mark?: string, rest?: string) => {
      const value = values[name] ?? (mark === '-' ? rest : undefined);
      assert.ok(value !== undefined, `${name} has a value`);
      return value;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}
