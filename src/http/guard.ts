/** The gate in front of every partner route: key, then rate limit, in one statement (see accounts/admit). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionColumns } from '../accounts/admission-store.ts';
import { type Admission, createAdmissions } from '../accounts/admit.ts';
import { KeyHashes } from '../accounts/key-hashes.ts';
import type { KeyUses } from '../accounts/key-uses.ts';
import { AppError } from '../errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { OwnerLoad } from '../platform/owner-load.ts';
import type { Database } from '../platform/postgres.ts';
import { FailedAuthentications } from './failed-authentications.ts';
import { requireSingle } from './single-header.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every partner route. */
    admission: Admission | undefined;
  }
  interface FastifyContextConfig {
    /** Columns that the admission statement reads for a route. */
    admissionColumns?: AdmissionColumns;
  }
}

export interface GuardOptions {
  database: Pick<Database, 'pool' | 'namedStatements'>;
  keyPepper: Buffer;
  metrics: Metrics;
  keyUses: KeyUses;
  /** Learns who is here: beside others, an account that makes much work steps back. */
  load: OwnerLoad;
}

export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** @throws BAD_REQUEST for a duplicated header, UNAUTHORIZED, RATE_LIMITED, ACCOUNT_SUSPENDED */
export function createGuard({ database, keyPepper, metrics, keyUses, load }: GuardOptions): Guard {
  const failures = new FailedAuthentications();
  const hashes = new KeyHashes(keyPepper);
  const admissions = createAdmissions(database.pool, database.namedStatements);

  const refuse = (request: FastifyRequest, reason: string): AppError => {
    metrics.authenticationFailures.inc({ reason });
    const waitSeconds = failures.record(request.ip);
    if (waitSeconds === undefined) return new AppError('UNAUTHORIZED', 'The API key is missing, unknown or revoked.');
    metrics.rateLimited.inc({ scope: 'address' });
    return new AppError('RATE_LIMITED', 'Too many failed authentications from this address.', {
      retryAfterSeconds: waitSeconds,
    });
  };

  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireSingle(request, 'authorization');
    requireSingle(request, 'idempotency-key');
    reply.header('vary', 'Authorization');
    const key = bearerToken(request.headers.authorization);
    if (key === undefined) throw refuse(request, 'missing');
    const keyHash = hashes.of(key);
    if (keyHash === undefined) throw refuse(request, 'malformed');
    const { admissionColumns: columns } = request.routeOptions.config;
    const subject = columns?.subjectOf?.(request.params);
    const admission = await admissions.admit(keyHash, columns, subject);
    hashes.remember(key, keyHash, admission !== undefined);
    if (!admission) throw refuse(request, 'unknown');
    const { rateLimit } = admission;
    reply.header('ratelimit-policy', `"default";q=${rateLimit.limit};w=60`);
    const waitSeconds = rateLimit.allowed ? rateLimit.resetSeconds : rateLimit.retryAfterSeconds;
    reply.header('ratelimit', `"default";r=${rateLimit.allowed ? rateLimit.remaining : 0};t=${waitSeconds}`);
    if (!rateLimit.allowed) {
      metrics.rateLimited.inc({ scope: 'key' });
      throw new AppError('RATE_LIMITED', `This key may make ${rateLimit.limit} requests per minute.`, {
        retryAfterSeconds: rateLimit.retryAfterSeconds,
      });
    }
    if (admission.caller.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'The operator has suspended this account.');
    keyUses.record(admission.caller.keyId);
    load.note(admission.caller.accountId, 0);
    request.admission = admission;
  };
}

/** The admission of a guarded route. */
export function admissionOf(request: FastifyRequest): Admission {
  if (!request.admission) throw new Error('The route is not behind the guard.');
  return request.admission;
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header ?? '')?.[1];
}
