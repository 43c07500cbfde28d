/**
 * Where a webhook may lead. The address that is checked is the address that is connected to. A host is looked up once, all
 * of its addresses are judged, and nobody looks it up again.
 */
import { promises as dns } from 'node:dns';
import { addAbortListener } from 'node:events';
import { isIP } from 'node:net';
import { badField, badRequest } from '../errors.ts';
import { addressRanges, isAllowedAddress } from './allowed-address.ts';
import type { DeliveryFault } from './webhook.ts';

/** Gives every address of a host name; throws when there is none. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<string[]>;

export type TargetPolicy = ReturnType<typeof targetPolicy>;

/** What the operator has set, in plain values. */
export interface TargetSettings {
  /** Networks besides the public internet. */
  allow: readonly string[];
  allowHttp: boolean;
  /** Instead of those of the machine. */
  nameServers: readonly string[] | undefined;
}

export function targetPolicy({ allow, allowHttp, nameServers }: TargetSettings) {
  return { allowed: addressRanges(allow), allowHttp, resolve: hostResolver(nameServers) };
}

export interface WebhookTarget {
  url: URL;
  /** To connect to. */
  address: string;
}

/** Refused before a connection is made. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly fault: DeliveryFault;
  /** A stable word for partners. */
  readonly reason: string;

  constructor(fault: DeliveryFault, reason: string, message: string) {
    super(message);
    this.fault = fault;
    this.reason = reason;
  }
}

const maxUrlLength = 2_048;
const firstUnprivilegedPort = 1_024;
/** More addresses than any honest service has. */
const maxAddresses = 32;

/** What can be said of a URL without looking its host up. @throws TargetRefused */
export function checkUrl(text: string, { allowHttp }: Pick<TargetPolicy, 'allowHttp'>): URL {
  // The parser drops tabs and line breaks and turns backslashes around; who sends them means something else than we read.
  if (text.length > maxUrlLength || /[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text))
    throw refusedUrl('INVALID_URL', 'The URL is not a complete address of printable ASCII characters.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    throw refusedUrl('SCHEME_NOT_ALLOWED', `The URL must begin with https://${allowHttp ? ' or http://' : ''}.`);
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text))
    throw refusedUrl('CREDENTIALS_IN_URL', 'The URL must not hold a user name or a password.');
  if (text.includes('#')) throw refusedUrl('FRAGMENT_IN_URL', 'The URL must not have a fragment.');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port < firstUnprivilegedPort && port !== 443 && port !== 80)
    throw refusedUrl('PORT_NOT_ALLOWED', 'Below 1024 only the ports 80 and 443 are allowed.');
  if (hostOf(url) === '' || hostOf(url).endsWith('..'))
    throw refusedUrl('INVALID_URL', 'The URL does not name a host.');
  return url;
}

/** @throws TargetRefused */
export async function resolveTarget(text: string, policy: TargetPolicy, signal: AbortSignal): Promise<WebhookTarget> {
  const url = checkUrl(text, policy);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await lookUp(host, policy, signal) : [host];
  // One forbidden address among them is a trap, or a mistake that would work now and then only.
  const wrong = addresses.find((address) => !isAllowedAddress(address, policy.allowed));
  const [address] = addresses;
  if (wrong !== undefined || address === undefined) {
    const reason = isIP(host) === 0 ? 'The host leads to an address' : 'The URL names an address';
    throw new TargetRefused('address_not_allowed', 'ADDRESS_NOT_ALLOWED', `${reason} that is not public.`);
  }
  return { url, address };
}

async function lookUp(host: string, { resolve }: TargetPolicy, signal: AbortSignal): Promise<string[]> {
  const name = host.replace(/\.$/, '');
  // Names that every machine reads as itself, whatever a name server says (RFC 6761).
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1'];
  const addresses = await resolve(name, signal).catch(() => []);
  signal.throwIfAborted();
  if (addresses.length === 0 || addresses.length > maxAddresses)
    throw new TargetRefused('host_not_found', 'HOST_NOT_FOUND', 'The host name of the URL does not resolve.');
  return addresses;
}

/** Without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** For a URL that a partner sends. @throws BAD_REQUEST naming the reason */
export async function requireTarget(text: string, policy: TargetPolicy, signal: AbortSignal): Promise<void> {
  try {
    await resolveTarget(text, policy, signal);
  } catch (error) {
    if (error instanceof TargetRefused) throw badRequest(error.message, { field: 'url', reason: error.reason });
    if (signal.aborted)
      throw badField('HOST_NOT_FOUND', 'The host name of the URL could not be looked up in time.', 'url');
    throw error;
  }
}

const lookUpTimeoutMs = 2_000;

/**
 * Asks name servers itself. The operating system's look-up would keep one of the few threads that read files, for as long as a
 * hostile name server likes.
 * @param nameServers addresses with ports, instead of those of the machine
 */
export function hostResolver(nameServers?: readonly string[]): ResolveHost {
  return async (host, signal) => {
    const resolver = new dns.Resolver({ timeout: lookUpTimeoutMs, tries: 2 });
    if (nameServers) resolver.setServers(nameServers);
    using _listening = addAbortListener(signal, () => resolver.cancel());
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

function refusedUrl(reason: string, message: string): TargetRefused {
  return new TargetRefused('url_not_allowed', reason, message);
}
