/**
 * Who may use the console. The browser holds a random id in a cookie that no script reads and no other site sends; the
 * database holds its hash. Every change carries a token derived from the id.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { AddressLimit } from '../http/address-limit.ts';
import { fieldsOf, text } from '../http/page-form.ts';
import { requireOwnForm, requireOwnSite, SessionCookie, sameText } from '../http/page-session.ts';
import {
  closeSession,
  findSession,
  keepNotice,
  openSession,
  sessionHours,
  useSignInCode,
} from '../operators/console-session-store.ts';
import type { Notice } from '../pages/work-page.ts';
import type { Db } from '../platform/postgres.ts';
import type { Secret } from '../secret.ts';

export interface ConsoleSession {
  id: string;
  /** What is shown until it is dismissed. */
  keptNotice: Notice | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On every page of the console. */
    consoleSession: ConsoleSession | undefined;
  }
}

export interface ConsoleAccess {
  /** By the operator token, or, where only this machine can connect, by a link that works once. */
  way: 'token' | 'link';
  token: Secret | undefined;
  /** Scheme and host that operators reach, where the settings name them. */
  publicUrl: string | undefined;
}

/** Of session ids and sign-in codes. */
const secretForm = /^[A-Za-z0-9_-]{43}$/;
const failuresPerMinute = 10;

export class ConsoleSessions {
  readonly #db: Db;
  readonly #access: ConsoleAccess;
  readonly #cookie: SessionCookie;
  readonly #failures = new AddressLimit(failuresPerMinute);

  constructor(db: Db, access: ConsoleAccess) {
    this.#db = db;
    this.#access = access;
    this.#cookie = new SessionCookie('toledo_console', '/console', access.publicUrl);
  }

  async of(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const id = this.#cookie.read(request.headers.cookie);
    const found = id === undefined ? undefined : await findSession(this.#db, id);
    if (id === undefined || found === undefined) return undefined;
    const { keptNotice } = found;
    return { id, keptNotice: keptNotice === undefined ? undefined : (JSON.parse(keptNotice) as Notice) };
  }

  /** A page shows it from now on, also after it was reloaded, until it is dismissed. */
  async keep({ consoleSession }: FastifyRequest, notice: Notice | undefined): Promise<void> {
    if (consoleSession) await keepNotice(this.#db, consoleSession.id, notice && JSON.stringify(notice));
  }

  /** @throws UNAUTHORIZED, RATE_LIMITED also for the right token once an address has guessed too often */
  async signInByToken(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireOwnSite(request, this.#access.publicUrl);
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
   * send wrong codes. A count would let such a page lock the operator out.
   * @throws UNAUTHORIZED
   */
  async signInByLink(request: FastifyRequest, reply: FastifyReply, code: string): Promise<void> {
    if (!(secretForm.test(code) && (await useSignInCode(this.#db, code))))
      throw new AppError('UNAUTHORIZED', 'This sign-in link was used before, or is too old.');
    await this.#open(request, reply);
  }

  async #open(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Never the id that the browser came with: somebody else may have put it there.
    const before = this.#cookie.read(request.headers.cookie);
    if (before !== undefined) await closeSession(this.#db, before);
    reply.header('set-cookie', this.#cookie.set(await openSession(this.#db), sessionHours));
  }

  /** @throws NotAllowed for a change that did not come from a page of this session */
  requireOwnForm(request: FastifyRequest): void {
    requireOwnForm(request, request.consoleSession?.id, this.#access.publicUrl);
  }

  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.consoleSession !== undefined) await closeSession(this.#db, request.consoleSession.id);
    reply.header('set-cookie', this.#cookie.clear());
  }
}
