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

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';

/** What one process does: everything, or half of it. */
export type Role = 'all' | 'api' | 'worker';

export interface Config {
  host: string;
  port: number;
  /** Scheme and host that partners reach, without a trailing slash; undefined = derived from the bound address. */
  publicUrl: string | undefined;
  dataDir: string;
  /** Undefined = embedded PostgreSQL in the data directory. */
  databaseUrl: Secret | undefined;
  /** Set = `databaseUrl` leads through a pooler in transaction mode, and this leads around it. */
  databaseDirectUrl: Secret | undefined;
  databasePoolSize: number;
  storage: string;
  /** Undefined = generated into the data directory. */
  secret: Secret | undefined;
  operatorToken: Secret | undefined;
  trustProxy: boolean;
  /** A separate port for metrics; undefined = the service's port. */
  metricsPort: number | undefined;
  metricsAccess: 'open' | 'operator-token';
  logLevel: LogLevel;
  /** An OpenTelemetry collector (OTLP over HTTP); undefined = no traces. */
  otlpEndpoint: string | undefined;
  /** Path of a JSON file with engines and routes; wins over the short form. */
  enginesFile: string | undefined;
  engine: string | undefined;
  engineBaseUrl: string | undefined;
  engineApiKey: Secret | undefined;
  engineModel: string | undefined;
  engineConcurrency: number;
  /** `runs`: a chapter's segments in order, each with the end of the one before in translation. `free`: every segment by itself. */
  order: 'runs' | 'free';
  /** Whether visitors of the front page may have one paragraph translated. */
  tryIt: 'on' | 'off';
  /** Days after the end of a task until its text is removed. */
  retentionDays: number;
  /** Tasks of each kind that one worker process runs at once. */
  workerBooks: number;
  workerShortTasks: number;
  /** Characters of the books that one worker process works on at once. */
  workerCharacters: number;
  /** A process that does nothing for so long ends itself; 0 = never. */
  watchdogSeconds: number;
  /** What the files and results of one account may take. */
  storageQuotaBytes: number;
  /** What engines may be sent for an account's cancelled and failed tasks in one day before its creates are refused. */
  unchargedCharactersPerDay: number;
  /** Networks that webhooks may lead to besides the public internet. */
  webhookAllow: string[];
  webhookAllowHttp: boolean;
  limits: Limits;
  /** Looks up variables that the engine file names, such as the one holding an API key. */
  variable: (name: string) => string | undefined;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

type Read<T> = (raw: string | undefined) => T;

type Flat = Omit<Config, 'limits' | 'variable'> &
  Pick<Limits, 'maxFileBytes' | 'maxRequestBytes' | 'maxTextCharacters' | 'maxArchiveBytes'>;

const settings: { [K in keyof Flat]: { variable: string; read: Read<Flat[K]> } } = {
  host: { variable: 'TOLEDO_HOST', read: text('127.0.0.1') },
  port: { variable: 'TOLEDO_PORT', read: integer(8080, 0, 65_535) },
  publicUrl: { variable: 'TOLEDO_PUBLIC_URL', read: optional(httpUrl) },
  dataDir: { variable: 'TOLEDO_DATA_DIR', read: (raw) => resolve(raw || './data') },
  databaseUrl: { variable: 'TOLEDO_DATABASE_URL', read: optional(postgresUrl) },
  databaseDirectUrl: { variable: 'TOLEDO_DATABASE_DIRECT_URL', read: optional(postgresUrl) },
  databasePoolSize: { variable: 'TOLEDO_DATABASE_POOL', read: integer(10, 2, 200) },
  storage: { variable: 'TOLEDO_STORAGE', read: storageLocation },
  secret: { variable: 'TOLEDO_SECRET', read: optional(longSecret) },
  operatorToken: { variable: 'TOLEDO_OPERATOR_TOKEN', read: optional(longSecret) },
  trustProxy: { variable: 'TOLEDO_TRUST_PROXY', read: boolean(false) },
  metricsPort: { variable: 'TOLEDO_METRICS_PORT', read: optional((raw) => integer(0, 0, 65_535)(raw)) },
  metricsAccess: { variable: 'TOLEDO_METRICS_ACCESS', read: oneOf(['open', 'operator-token'], 'open') },
  logLevel: {
    variable: 'TOLEDO_LOG_LEVEL',
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  },
  otlpEndpoint: { variable: 'TOLEDO_OTLP_ENDPOINT', read: optional(httpUrl) },
  enginesFile: { variable: 'TOLEDO_ENGINES', read: optional((raw) => resolve(raw)) },
  engine: { variable: 'TOLEDO_ENGINE', read: optional((raw) => raw) },
  engineBaseUrl: { variable: 'TOLEDO_ENGINE_BASE_URL', read: optional(httpUrl) },
  engineApiKey: { variable: 'TOLEDO_ENGINE_API_KEY', read: optional((raw) => new Secret(raw)) },
  engineModel: { variable: 'TOLEDO_ENGINE_MODEL', read: optional((raw) => raw) },
  engineConcurrency: { variable: 'TOLEDO_ENGINE_CONCURRENCY', read: integer(32, 1, 1_000) },
  order: { variable: 'TOLEDO_ORDER', read: oneOf(['runs', 'free'], 'runs') },
  tryIt: { variable: 'TOLEDO_TRY', read: oneOf(['on', 'off'], 'on') },
  retentionDays: { variable: 'TOLEDO_RETENTION_DAYS', read: integer(30, 1, 3_650) },
  workerBooks: { variable: 'TOLEDO_WORKER_BOOKS', read: integer(12, 1, 200) },
  workerShortTasks: { variable: 'TOLEDO_WORKER_SHORT_TASKS', read: integer(8, 1, 200) },
  workerCharacters: { variable: 'TOLEDO_WORKER_CHARACTERS', read: integer(40_000_000, 1_000_000, 10_000_000_000) },
  watchdogSeconds: { variable: 'TOLEDO_WATCHDOG_SECONDS', read: integer(30, 0, 3_600) },
  storageQuotaBytes: { variable: 'TOLEDO_STORAGE_QUOTA_BYTES', read: integer(10_000_000_000, 1, 2 ** 50) },
  unchargedCharactersPerDay: {
    variable: 'TOLEDO_UNCHARGED_CHARACTERS_PER_DAY',
    read: integer(5_000_000, 0, 2 ** 40),
  },
  webhookAllow: { variable: 'TOLEDO_WEBHOOK_ALLOW', read: networks },
  webhookAllowHttp: { variable: 'TOLEDO_WEBHOOK_ALLOW_HTTP', read: boolean(false) },
  maxFileBytes: { variable: 'TOLEDO_MAX_FILE_BYTES', read: integer(defaultLimits.maxFileBytes, 1, 2 ** 31) },
  maxRequestBytes: { variable: 'TOLEDO_MAX_REQUEST_BYTES', read: integer(defaultLimits.maxRequestBytes, 1, 2 ** 31) },
  maxTextCharacters: {
    variable: 'TOLEDO_MAX_TEXT_CHARACTERS',
    read: integer(defaultLimits.maxTextCharacters, 1, 2 ** 31),
  },
  maxArchiveBytes: { variable: 'TOLEDO_MAX_ARCHIVE_BYTES', read: integer(defaultLimits.maxArchiveBytes, 1, 2 ** 31) },
};

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
export function consoleWay({
  operatorToken,
  host,
}: Pick<Config, 'operatorToken' | 'host'>): 'token' | 'link' | undefined {
  if (operatorToken) return 'token';
  return isLoopback(host) ? 'link' : undefined;
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
  if (!['postgres:', 'postgresql:'].includes(parsedUrl(raw).protocol)) {
    throw new Error('must be a PostgreSQL connection URL such as postgresql://user:password@host:5432/toledo');
  }
  return new Secret(raw);
}

function storageLocation(raw: string | undefined): string {
  if (raw === undefined || raw === 'file') return 'file';
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|\?|$)/.test(raw)) {
    throw new Error('must be `file` or s3://bucket/prefix?endpoint=…&region=…');
  }
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
