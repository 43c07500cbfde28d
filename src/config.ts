/**
 * The settings of a process: the only reader of the environment. Every setting is one row of `settings`; a malformed
 * value is an error, never a silent default, and all errors are reported together.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { defaultLimits, type Limits } from './limits.ts';
import { Secret } from './secret.ts';
import { isOneOf, wholeNumberOf } from './written-values.ts';

/** What one process does: everything, or half of it. */
export type Role = 'all' | 'api' | 'worker';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

type Read<T> = (raw: string | undefined) => T;

function setting<T>(variable: string, read: Read<T>) {
  return { variable, read };
}

const settings = {
  host: setting('TOLEDO_HOST', text('127.0.0.1')),
  port: setting('TOLEDO_PORT', integer(8080, 0, 65_535)),
  /** Scheme and host that partners reach, without a trailing slash; undefined = derived from the bound address. */
  publicUrl: setting('TOLEDO_PUBLIC_URL', optional(httpUrl)),
  dataDir: setting('TOLEDO_DATA_DIR', (raw) => resolve(raw || './data')),
  /** Undefined = embedded PostgreSQL in the data directory. */
  databaseUrl: setting('TOLEDO_DATABASE_URL', optional(postgresUrl)),
  /** Set = `databaseUrl` leads through a pooler in transaction mode, and this leads around it. */
  databaseDirectUrl: setting('TOLEDO_DATABASE_DIRECT_URL', optional(postgresUrl)),
  databasePoolSize: setting('TOLEDO_DATABASE_POOL', integer(10, 2, 200)),
  storage: setting('TOLEDO_STORAGE', storageLocation),
  /** Undefined = generated into the data directory. */
  secret: setting('TOLEDO_SECRET', optional(longSecret)),
  operatorToken: setting('TOLEDO_OPERATOR_TOKEN', optional(longSecret)),
  trustProxy: setting('TOLEDO_TRUST_PROXY', boolean(false)),
  /** A separate port for metrics; undefined = the service's port. */
  metricsPort: setting('TOLEDO_METRICS_PORT', optional(integer(0, 0, 65_535))),
  metricsAccess: setting('TOLEDO_METRICS_ACCESS', oneOf(['open', 'operator-token'], 'open')),
  logLevel: setting('TOLEDO_LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info')),
  /** An OpenTelemetry collector (OTLP over HTTP); undefined = no traces. */
  otlpEndpoint: setting('TOLEDO_OTLP_ENDPOINT', optional(httpUrl)),
  /** Path of a JSON file with engines and routes; wins over the short form. */
  enginesFile: setting('TOLEDO_ENGINES', optional(resolve)),
  engine: setting('TOLEDO_ENGINE', optional(String)),
  engineBaseUrl: setting('TOLEDO_ENGINE_BASE_URL', optional(httpUrl)),
  engineApiKey: setting('TOLEDO_ENGINE_API_KEY', optional(secret)),
  engineModel: setting('TOLEDO_ENGINE_MODEL', optional(String)),
  engineConcurrency: setting('TOLEDO_ENGINE_CONCURRENCY', integer(32, 1, 1_000)),
  /** `runs`: a chapter's segments in order, each with the end of the one before in translation. `free`: every segment by itself. */
  order: setting('TOLEDO_ORDER', oneOf(['runs', 'free'], 'runs')),
  /** Whether visitors of the front page may have one paragraph translated. */
  tryIt: setting('TOLEDO_TRY', oneOf(['on', 'off'], 'on')),
  /** Days after the end of a task until its text is removed. */
  retentionDays: setting('TOLEDO_RETENTION_DAYS', integer(30, 1, 3_650)),
  /** Tasks of each kind that one worker process runs at once. */
  workerBooks: setting('TOLEDO_WORKER_BOOKS', integer(12, 1, 200)),
  workerShortTasks: setting('TOLEDO_WORKER_SHORT_TASKS', integer(8, 1, 200)),
  /** Characters of the books that one worker process works on at once. */
  workerCharacters: setting('TOLEDO_WORKER_CHARACTERS', integer(40_000_000, 1_000_000, 10_000_000_000)),
  /** A process that does nothing for so long ends itself; 0 = never. */
  watchdogSeconds: setting('TOLEDO_WATCHDOG_SECONDS', integer(30, 0, 3_600)),
  /** What the files and results of one account may take. */
  storageQuotaBytes: setting('TOLEDO_STORAGE_QUOTA_BYTES', integer(10_000_000_000, 1, 2 ** 50)),
  /** What engines may be sent for an account's cancelled and failed tasks in one day before its creates are refused. */
  unchargedCharactersPerDay: setting('TOLEDO_UNCHARGED_CHARACTERS_PER_DAY', integer(5_000_000, 0, 2 ** 40)),
  /** Networks that webhooks may lead to besides the public internet. */
  webhookAllow: setting('TOLEDO_WEBHOOK_ALLOW', networks),
  webhookAllowHttp: setting('TOLEDO_WEBHOOK_ALLOW_HTTP', boolean(false)),
  maxFileBytes: setting('TOLEDO_MAX_FILE_BYTES', integer(defaultLimits.maxFileBytes, 1, 2 ** 31)),
  maxRequestBytes: setting('TOLEDO_MAX_REQUEST_BYTES', integer(defaultLimits.maxRequestBytes, 1, 2 ** 31)),
  maxTextCharacters: setting('TOLEDO_MAX_TEXT_CHARACTERS', integer(defaultLimits.maxTextCharacters, 1, 2 ** 31)),
  maxArchiveBytes: setting('TOLEDO_MAX_ARCHIVE_BYTES', integer(defaultLimits.maxArchiveBytes, 1, 2 ** 31)),
};

type Flat = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['read']> };
type SetLimit = keyof Flat & keyof Limits;

export interface Config extends Omit<Flat, SetLimit> {
  limits: Limits;
  /** Looks up variables that the engine file names, such as the one holding an API key. */
  variable: (name: string) => string | undefined;
}

export type LogLevel = Config['logLevel'];

/** Names of all settings, for `.env.example` and the documentation. */
export const settingNames: readonly string[] = Object.values(settings).map((setting) => setting.variable);

/** Variables of a partner's shell (the examples in README and /docs use them): not settings, but not typing errors either. */
const partnerVariables = ['TOLEDO_API_KEY', 'TOLEDO_BASE_URL'];

/** @throws ConfigError naming every faulty variable */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const faults: string[] = [];
  const entries = Object.entries(settings).map(([name, setting]) => {
    const raw = env[setting.variable]?.trim();
    try {
      return [name, setting.read(raw === '' ? undefined : raw)];
    } catch (error) {
      faults.push(`${setting.variable} ${(error as Error).message}`);
      return [name, undefined];
    }
  });
  if (env.TOLEDO_DATABASE_DIRECT_URL?.trim() && !env.TOLEDO_DATABASE_URL?.trim())
    faults.push('TOLEDO_DATABASE_DIRECT_URL goes with a TOLEDO_DATABASE_URL that leads through a pooler');
  if (env.TOLEDO_METRICS_ACCESS?.trim() === 'operator-token' && !env.TOLEDO_OPERATOR_TOKEN?.trim())
    faults.push('TOLEDO_METRICS_ACCESS=operator-token needs a TOLEDO_OPERATOR_TOKEN');
  const known = new Set([...settingNames, ...partnerVariables]);
  for (const name of Object.keys(env)) {
    if (name.startsWith('TOLEDO_') && !known.has(name)) faults.push(`${name} is not a setting of this version`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  const { maxFileBytes, maxRequestBytes, maxTextCharacters, maxArchiveBytes, ...config } = Object.fromEntries(
    entries,
  ) as Flat;
  const limits = Object.freeze({ ...defaultLimits, maxFileBytes, maxRequestBytes, maxTextCharacters, maxArchiveBytes });
  return Object.freeze({ ...config, limits, variable: (name: string) => env[name] });
}

/**
 * How the console is entered: by the operator token, or without one by a link that works once, where nobody but this machine
 * can connect. Undefined = there is no console.
 */
export function consoleWay(config: Pick<Config, 'operatorToken' | 'host'>): 'token' | 'link' | undefined {
  if (config.operatorToken) return 'token';
  return isLoopback(config.host) ? 'link' : undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Every setting with its value in words, secrets hidden, for an operator who asks what this process runs with. */
export function settingsInWords(config: Config): { variable: string; value: string }[] {
  const values: Record<string, unknown> = { ...config, ...config.limits };
  return Object.entries(settings).map(([name, { variable }]) => ({ variable, value: inWords(values[name]) }));
}

function inWords(value: unknown): string {
  if (value === undefined) return 'not set';
  if (value instanceof Secret) return 'set (hidden)';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  // An address may carry a key in its user part or its query.
  return String(value)
    .replace(/\/\/[^@/]*@/, '//…@')
    .replace(/([?&][^=&]*(?:key|secret|token|password)[^=&]*=)[^&]*/gi, '$1…');
}

/** Adds the settings of `.env` of the working directory, when there is one; what the environment says already, stays. */
export function readEnvFile(env: Record<string, string | undefined>): void {
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync('.env', 'utf8')))) env[name] ??= value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError([`.env cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not readable'})`]);
  }
}

/** The key and the address that partner commands use when none is given with the command. */
export function partnerSettings(env: Record<string, string | undefined> = process.env): {
  apiKey: string | undefined;
  baseUrl: string;
} {
  return {
    apiKey: env.TOLEDO_API_KEY?.trim() || undefined,
    baseUrl: env.TOLEDO_BASE_URL?.trim() || 'http://127.0.0.1:8080/api/v1',
  };
}

/** What is read from it, and written into it, is this process' own. */
export function processEnvironment(): Record<string, string | undefined> {
  return process.env;
}

function text(fallback: string): Read<string> {
  return (raw) => raw ?? fallback;
}

function optional<T>(read: (raw: string) => T): Read<T | undefined> {
  return (raw) => (raw === undefined ? undefined : read(raw));
}

function integer(fallback: number, min: number, max: number): Read<number> {
  return (raw) => {
    if (raw === undefined) return fallback;
    const value = wholeNumberOf(raw);
    if (value === undefined || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

function boolean(fallback: boolean): Read<boolean> {
  return (raw) => {
    if (raw === undefined) return fallback;
    if (raw === 'true' || raw === 'false') return raw === 'true';
    throw new Error('must be true or false');
  };
}

function oneOf<const T extends string>(values: readonly T[], fallback: T): Read<T> {
  return (raw) => {
    if (raw === undefined) return fallback;
    if (isOneOf(raw, values)) return raw;
    throw new Error(`must be one of ${values.join(', ')}`);
  };
}

function httpUrl(raw: string): string {
  const url = parsedUrl(raw);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('must start with http:// or https://');
  if (url.search || url.hash || url.username || url.password)
    throw new Error('must hold nothing but scheme, host and path');
  return raw.replace(/\/+$/, '');
}

function postgresUrl(raw: string): Secret {
  if (!['postgres:', 'postgresql:'].includes(parsedUrl(raw).protocol))
    throw new Error('must be a PostgreSQL connection URL such as postgresql://user:password@host:5432/toledo');
  return new Secret(raw);
}

function storageLocation(raw: string | undefined): string {
  if (raw === undefined || raw === 'file') return 'file';
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|\?|$)/.test(raw))
    throw new Error('must be `file` or s3://bucket/prefix?endpoint=…&region=…');
  return raw;
}

function networks(raw: string | undefined): string[] {
  const ranges = (raw ?? '').split(/[\s,]+/).filter((range) => range !== '');
  const wrong = ranges.find((range) => {
    const [address = '', prefix, ...rest] = range.split('/');
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      bits < 0 || rest.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
    );
  });
  if (wrong !== undefined) throw new Error(`must list addresses or ranges such as 10.1.0.0/16, not "${wrong}"`);
  return ranges;
}

function secret(raw: string): Secret {
  return new Secret(raw);
}

function longSecret(raw: string): Secret {
  if (raw.length < 32) throw new Error('must have at least 32 characters');
  return new Secret(raw);
}

function parsedUrl(raw: string): URL {
  try {
    return new URL(raw);
  } catch {
    throw new Error('is not a URL');
  }
}
