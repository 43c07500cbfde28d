/** Sessions of pages: their cookie, and that a form came from a page of ours and from this session. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { fieldsOf, queryText } from './page-form.ts';

/** Answered 403. Not one of the API's errors: partners' programs never see it. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/**
 * @param publicUrl scheme and host that people reach, where the settings name them
 * @throws NotAllowed for a change that did not come from a page of this session
 */
export function requireOwnForm(
  request: FastifyRequest,
  session: string | undefined,
  publicUrl: string | undefined,
): void {
  requireOwnSite(request, publicUrl);
  const given = fieldsOf(request).get('csrf') ?? '';
  if (session === undefined || !sameText(given, csrfTokenOf(session)))
    throw new NotAllowed('This change did not come from a page of your session. Reload the page and try again.');
}

/**
 * Browsers say where a form comes from: with `Sec-Fetch-Site` where the address is https or this machine, else with `Origin`.
 * A form of another site is refused before it is looked at, so that it is no try either.
 * @throws NotAllowed
 */
export function requireOwnSite({ headers, host }: FastifyRequest, publicUrl: string | undefined): void {
  const { 'sec-fetch-site': site, origin } = headers;
  const isOwn =
    site === undefined
      ? origin === undefined || [host, hostOf(publicUrl)].includes(hostOf(origin))
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw new NotAllowed('This request came from another site.');
}

/** Where a person who sends a form after the end of the session is told so. A page that is only looked at needs no word. */
export function signInPath(root: string, { method }: Pick<FastifyRequest, 'method'>): string {
  return method === 'POST' ? `${root}?ended=yes` : root;
}

export function endedNotice(request: FastifyRequest): string | undefined {
  if (queryText(request, 'ended') === '') return undefined;
  return 'Your session has ended, and nothing was changed. Sign in and send it again.';
}

/** Belongs to one session and reveals nothing about its id. */
export function csrfTokenOf(session: string): string {
  return createHash('sha256').update(`csrf ${session}`).digest('base64url');
}

/** Compared by digest, so the time reveals nothing, not even the length. */
export function sameText(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

/** A cookie that holds a session's random id: no script reads it, and no other site sends it. */
export class SessionCookie {
  readonly #name: string;
  readonly #path: string;
  readonly #secure: boolean;

  constructor(name: string, path: string, publicUrl: string | undefined) {
    this.#name = name;
    this.#path = path;
    this.#secure = publicUrl?.startsWith('https:') ?? false;
  }

  /** The id that a browser sends, if it has the form of one. */
  read(header: string | undefined): string | undefined {
    return new RegExp(`(?:^|; *)${this.#name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(header ?? '')?.[1];
  }

  set(id: string, hours: number): string {
    return this.#text(id, hours * 3600);
  }

  clear(): string {
    return this.#text('', 0);
  }

  #text(value: string, maxAgeSeconds: number): string {
    const secure = this.#secure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=${this.#path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }
}

/**
 * The key that the documentation fills into its examples. Only a test key: a person who sees a live one, over a shoulder or on a shared
 * screen, could spend credits with it.
 */
export function exampleKey(key: string | undefined): string | undefined {
  return key?.startsWith('tol_test_') ? key : undefined;
}
