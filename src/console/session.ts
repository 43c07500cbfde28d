/**
 * Who may use the console. The browser holds a random id in a cookie that no script reads and no other site sends; the
 * database holds its hash. Every change carries a token derived from the id.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { FailedAuthentications } from '../http/failed-authentications.ts';
import {
  closeSession,
  isSession,
  openSession,
  sessionHours,
  useSignInCode,
} from '../operators/console-session-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { Secret } from '../secret.ts';
import { fieldsOf, text } from './form.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session id, on every page of the console. */
    consoleSession: string | undefined;
  }
}

/** Answered 403. Not one of the API's errors: partners never see it. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

export interface ConsoleAccess {
  /** By the operator token, or, where only this machine can connect, by a link that works once. */
  way: 'token' | 'link';
  token: Secret | undefined;
  /** Scheme and host that operators reach, where the settings name them. */
  publicUrl: string | undefined;
}

const cookieName = 'toledo_console';
/** Of session ids and sign-in codes. */
const secretForm = /^[A-Za-z0-9_-]{43}$/;
const failuresPerMinute = 10;

export class ConsoleSessions {
  readonly #db: Db;
  readonly #access: ConsoleAccess;
  readonly #failures = new FailedAuthentications(Date.now, failuresPerMinute);

  constructor(db: Db, access: ConsoleAccess) {
    this.#db = db;
    this.#access = access;
  }

  async of(request: FastifyRequest): Promise<string | undefined> {
    const id = cookieOf(request.headers.cookie);
    return id !== undefined && (await isSession(this.#db, id)) ? id : undefined;
  }

  /** @throws UNAUTHORIZED, RATE_LIMITED also for the right token once an address has guessed too often */
  async signInByToken(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.requireOwnSite(request);
    const waitSeconds = this.#failures.blockedFor(request.ip);
    if (waitSeconds !== undefined)
      throw new AppError('RATE_LIMITED', `Too many failed attempts from this address; wait ${waitSeconds} s.`, {
        retryAfterSeconds: waitSeconds,
      });
    const { token } = this.#access;
    if (token === undefined || !sameText(text(fieldsOf(request), 'token'), token.reveal())) {
      this.#failures.record(request.ip);
      throw new AppError('UNAUTHORIZED', 'This is not the operator token.');
    }
    await this.#open(request, reply);
  }

  /**
   * Wrong codes are not counted. Nobody guesses 256 random bits, and every page on the web can make a browser on this machine
   * send wrong ones: a count would let it lock the operator out.
   * @throws UNAUTHORIZED
   */
  async signInByLink(request: FastifyRequest, reply: FastifyReply, code: string): Promise<void> {
    if (!(secretForm.test(code) && (await useSignInCode(this.#db, code))))
      throw new AppError('UNAUTHORIZED', 'This sign-in link was used before, or is too old.');
    await this.#open(request, reply);
  }

  async #open(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Never the id that the browser came with: somebody else may have put it there.
    const before = cookieOf(request.headers.cookie);
    if (before !== undefined) await closeSession(this.#db, before);
    reply.header('set-cookie', this.#cookie(await openSession(this.#db), sessionHours * 3600));
  }

  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.consoleSession !== undefined) await closeSession(this.#db, request.consoleSession);
    reply.header('set-cookie', this.#cookie('', 0));
  }

  #cookie(value: string, maxAgeSeconds: number): string {
    const secure = this.#access.publicUrl?.startsWith('https:') ? '; Secure' : '';
    return `${cookieName}=${value}; Path=/console; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** @throws NotAllowed for a change that did not come from a page of this session */
  requireOwnForm(request: FastifyRequest): void {
    this.requireOwnSite(request);
    const given = fieldsOf(request).get('csrf') ?? '';
    if (request.consoleSession === undefined || !sameText(given, csrfTokenOf(request.consoleSession)))
      throw new NotAllowed('This change did not come from a page of your session. Reload the page and try again.');
  }

  /**
   * Browsers say where a form comes from: with `Sec-Fetch-Site` where the address is https or this machine, else with `Origin`.
   * A form of another site is refused before it is looked at, so that it is no try either.
   * @throws NotAllowed
   */
  requireOwnSite({ headers, host }: FastifyRequest): void {
    const { 'sec-fetch-site': site, origin } = headers;
    const isOwn =
      site === undefined
        ? origin === undefined || [host, hostOf(this.#access.publicUrl)].includes(hostOf(origin))
        : site === 'same-origin' || site === 'none';
    if (!isOwn) throw new NotAllowed('This request came from another site.');
  }
}

/** Belongs to one session and reveals nothing about its id. */
export function csrfTokenOf(session: string): string {
  return createHash('sha256').update(`csrf ${session}`).digest('base64url');
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

/** Compared by digest, so the time reveals nothing, not even the length. */
function sameText(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function cookieOf(header: string | undefined): string | undefined {
  return new RegExp(`(?:^|; *)${cookieName}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(header ?? '')?.[1];
}
