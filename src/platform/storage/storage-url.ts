/** What `TOLEDO_STORAGE` may say: `file`, or `s3://bucket/prefix?endpoint=…&region=…`. */
export type StorageUrl = { kind: 'file' } | S3Url;

export interface S3Url {
  kind: 's3';
  bucket: string;
  /** Empty, or ends in a slash. */
  prefix: string;
  /** Undefined means Amazon's own. */
  endpoint: string | undefined;
  /** Undefined means what the usual AWS variables and files say. */
  region: string | undefined;
}

/** Throws an Error whose message is one sentence for the operator. Credentials never belong in the URL. */
export function parseStorageUrl(text: string): StorageUrl {
  if (text === 'file') return { kind: 'file' };
  if (!text.startsWith('s3://')) throw fault('must be "file" or begin with "s3://"');
  if (!URL.canParse(text)) throw fault('is not a URL');
  const url = new URL(text);
  if (url.username || url.password) throw fault('must not hold credentials; use AWS_ACCESS_KEY_ID and the like');
  if (url.port) throw fault('has a port after the bucket; an own server is named with ?endpoint=');
  if (url.hash) throw fault('must not have a fragment (#)');
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw fault('needs a bucket name of 3 to 63 lower-case letters, digits, dots and hyphens, as in "s3://my-bucket"');
  return { kind: 's3', bucket, prefix: readPrefix(url.pathname), ...readParameters(url.searchParams) };
}

function readPrefix(path: string): string {
  const prefix = path.replace(/^\//, '').replace(/\/$/, '');
  if (prefix === '') return '';
  if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/.test(prefix) || prefix.length > 200)
    throw fault('has a prefix that is not made of lower-case letters, digits, "_", "-" and single slashes');
  return `${prefix}/`;
}

function readParameters(parameters: URLSearchParams): Pick<S3Url, 'endpoint' | 'region'> {
  for (const name of parameters.keys()) {
    if (name !== 'endpoint' && name !== 'region') throw fault(`has an unknown parameter "${name}"`);
    if (parameters.getAll(name).length > 1) throw fault(`has the parameter "${name}" twice`);
  }
  const endpoint = parameters.get('endpoint') ?? undefined;
  // Servers other than Amazon's do not care about the region, but the signature needs one.
  const region = parameters.get('region') ?? (endpoint === undefined ? undefined : 'us-east-1');
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) throw fault('has an ill-formed region');
  if (endpoint !== undefined) assertEndpoint(endpoint);
  return { endpoint, region };
}

function assertEndpoint(endpoint: string): void {
  if (!URL.canParse(endpoint)) throw fault('has an endpoint that is not a URL');
  const url = new URL(endpoint);
  const plain = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || !plain)
    throw fault('needs an endpoint such as "https://storage.example:9000", without path or credentials');
}

function fault(sentence: string): Error {
  return new Error(`The storage setting ${sentence}.`);
}
