/** The gate in front of every partner route: key, then rate limit, in one statement (see accounts/admit). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Admission, admit, ownerOf } from '../accounts/admit.ts';
import { hashApiKey, isWellFormedApiKey } from '../accounts/api-key.ts';
import { AppError } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Platform } from '../platform/platform.ts';
import { AddressLimit } from './address-limit.ts';
import { requireSingle } from './server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every partner route. */
    admission: Admission | undefined;
  }
}

export interface GuardOptions extends Pick<Platform, 'db' | 'metrics'> {
  keyPepper: Buffer;
}

export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** @throws BAD_REQUEST for a duplicated header, UNAUTHORIZED, RATE_LIMITED, ACCOUNT_SUSPENDED */
export function createGuard({ db, keyPepper, metrics }: GuardOptions): Guard {
  const failures = new AddressLimit();

  const refuse = (request: FastifyRequest, reason: string): AppError => {
    metrics.authenticationFailures.inc({ reason });
    const retryAfterSeconds = failures.record(request.ip);
    if (retryAfterSeconds === undefined)
      return new AppError('UNAUTHORIZED', 'The API key is missing, unknown or revoked.');
    metrics.rateLimited.inc({ scope: 'address' });
    return new AppError('RATE_LIMITED', 'Too many failed authentications from this address.', { retryAfterSeconds });
  };

  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireSingle(request, 'authorization');
    requireSingle(request, 'idempotency-key');
    reply.header('vary', 'Authorization');
    const key = bearerToken(request.headers.authorization);
    if (key === undefined) throw refuse(request, 'missing');
    if (!isWellFormedApiKey(key)) throw refuse(request, 'malformed');
    const admission = await admit(db, hashApiKey(key, keyPepper));
    if (!admission) throw refuse(request, 'unknown');
    const { rateLimit } = admission;
    reply.header('ratelimit-policy', `"default";q=${rateLimit.limit};w=60`);
    const waitSeconds = rateLimit.allowed ? rateLimit.resetSeconds : rateLimit.retryAfterSeconds;
    reply.header('ratelimit', `"default";r=${rateLimit.allowed ? rateLimit.remaining : 0};t=${waitSeconds}`);
    if (!rateLimit.allowed) {
      metrics.rateLimited.inc({ scope: 'key' });
      const { limit, retryAfterSeconds } = rateLimit;
      throw new AppError('RATE_LIMITED', `This key may make ${limit} requests per minute.`, { retryAfterSeconds });
    }
    if (admission.caller.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'The operator has suspended this account.');
    request.admission = admission;
  };
}

/** The admission of a guarded route. */
export function admissionOf(request: FastifyRequest): Admission {
  if (!request.admission) throw new Error('The route is not behind the guard.');
  return request.admission;
}

/** Whose objects a guarded route may see. */
export function callingOwner(request: FastifyRequest): Owner {
  return ownerOf(admissionOf(request).caller);
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header ?? '')?.[1];
}
