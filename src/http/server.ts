/**
 * The HTTP shell: what applies to every request on every route. Envelope, request ids, security headers, timeouts, draining,
 * and our own answer wherever Node or Fastify would send theirs.
 */

import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { AppError, Bug, badField, badRequest } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import type { Platform } from '../platform/platform.ts';
import { failure, rawFailure, standardHeaders, statusOf, toAppError } from './envelope.ts';
import { nameKeyword } from './shapes.ts';
import { bodyTimeoutMs } from './upload/upload-limits.ts';

/** Where the versioned API begins; it is part of every partner's base URL. */
export const apiPrefix = '/api/v1';

export interface ServerOptions extends Pick<Platform, 'log' | 'metrics'> {
  trustProxy: boolean;
  /** True once the process has been asked to stop: new work is refused, running requests end. */
  isDraining: () => boolean;
  /** Called for each request that was refused because the process is stopping. */
  onRefused?: () => void;
}

export type Server = ReturnType<typeof createServer>;

/** Routes that must answer while draining: load balancers learn of it through them. */
const answersWhileDraining = new Set(['/healthz', '/readyz', '/metrics']);

/** How long the rest of a body may take to arrive after its answer. */
const unreadBodyMs = 2_000;

export function createServer({ log, metrics, trustProxy, isDraining, onRefused = () => {} }: ServerOptions) {
  const server = fastify({
    // We log requests below ourselves; the framework logs only warnings, without a child logger per request.
    loggerInstance: log.child({}, { level: 'warn' }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: () => newId('req'),
    trustProxy,
    bodyLimit: 64 * 1024,
    // Fastify leaves Node's request timeout at 0 = never. The deadline of an upload comes first: it tells which side was too slow.
    requestTimeout: bodyTimeoutMs + 10_000,
    // A client that takes none of its answer for this long is not reading it. While we read a large file, nothing is
    // sent for up to 60 s, or longer with many files.
    connectionTimeout: 180_000,
    keepAliveTimeout: 75_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false, keywords: [nameKeyword] } },
    frameworkErrors: (error, request, reply) => {
      reply.headers(standardHeaders).header('x-request-id', request.id);
      answerError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseUnparsed(socket, unparsedReason(error)),
  }).withTypeProvider<TypeBoxTypeProvider>();

  // We send what the view built; tests validate it against the OpenAPI document.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));

  const methods = new AllowedMethods();
  server.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) methods.add(method, route.url);
  });

  server.decorateRequest('admission', undefined);
  // Hooks that wait for nothing call back instead of being async: every request passes through all of them.
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(standardHeaders).header('x-request-id', request.id);
    done(refusalOf(request, reply));
  });

  // The validator turns "Infinity" and "1e999" into a number and then leaves it out of every comparison.
  server.addHook('preHandler', (request, _reply, done) => {
    const wrong = Object.entries(request.query ?? {}).find(
      ([, value]) => typeof value === 'number' && !Number.isFinite(value),
    );
    done(wrong && badRequest(`The parameter "${wrong[0]}" must be a finite number.`, { field: wrong[0] }));
  });

  server.addHook('onResponse', (request, reply, done) => {
    closeUnlessComplete(request.raw);
    const route = request.routeOptions.url ?? 'unknown';
    metrics.httpRequests.inc({ method: request.method, route, status: String(reply.statusCode) });
    metrics.httpDuration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    if (log.isLevelEnabled('debug')) {
      log.debug(
        {
          request_id: request.id,
          account: request.admission?.caller.accountId,
          method: request.method,
          route,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
        },
        'request',
      );
    }
    done();
  });

  server.setErrorHandler(answerError);

  /** Why a request is not even looked at. */
  function refusalOf(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
    if (isDraining() && !answersWhileDraining.has(request.url)) {
      onRefused();
      reply.header('connection', 'close');
      const message = 'This process is shutting down; another one will answer.';
      return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 1 });
    }
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      return badRequest('The Host header is missing.');
    // Here and not in a separate handler: a handler would first wait for the body, however slowly it arrives.
    return repeatedHeader(request, 'host') ?? (request.is404 ? noSuchRoute(request, reply) : undefined);
  }

  function noSuchRoute(request: FastifyRequest, reply: FastifyReply): AppError {
    const allowed = methods.on(request.url);
    if (allowed.length === 0) return new AppError('NOT_FOUND', nothingAt(request.url));
    reply.header('allow', allowed.join(', '));
    return new AppError('METHOD_NOT_ALLOWED', `This address answers to ${allowed.join(', ')} only.`);
  }

  /** The most common wrong address is a base URL without its version, so the answer says that. */
  function nothingAt(url: string): string {
    return methods.on(`${apiPrefix}${url}`).length > 0
      ? `There is nothing at this address; the base URL of the API ends in ${apiPrefix}.`
      : 'There is nothing at this address.';
  }

  function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL')
      log.error({ err: thrown, request_id: request.id, route: request.routeOptions?.url }, 'request failed');
    else if (error.cause instanceof Bug)
      log.error({ err: error.cause, request_id: request.id }, 'a source could not be read for a fault of ours');
    else if (error.code === 'UNAVAILABLE' && error.cause)
      log.warn({ err: error.cause, request_id: request.id }, 'request refused: unavailable');
    const waitSeconds = error.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? 2 : undefined);
    if (waitSeconds !== undefined) reply.header('retry-after', String(waitSeconds));
    // RFC 9110 asks for it on every 401.
    if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
    return reply.status(statusOf(error)).type('application/json; charset=utf-8').send(failure(error, request.id));
  }

  server.server.on('checkExpectation', ({ socket }: IncomingMessage) => {
    refuseUnparsed(socket, badRequest('The Expect header asks for something this service does not do.'));
  });
  server.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuseUnparsed(socket, new AppError('METHOD_NOT_ALLOWED', 'CONNECT is not supported.'));
  });
  return server;
}

/**
 * A client that is refused before we read its body could keep sending it, a byte at a time, until the request timeout. A short
 * remainder may still arrive, so that the connection stays usable.
 */
function closeUnlessComplete(request: IncomingMessage): void {
  // What a page of ours asks comes over no connection.
  if (request.complete || !(request instanceof IncomingMessage)) return;
  setTimeout(() => request.complete || request.socket.destroy(), unreadBodyMs).unref();
}

function refuseUnparsed(socket: Duplex, error: AppError): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(rawFailure(error, newId('req')), () => socket.destroy());
}

function unparsedReason(error: Error & { code?: string }): AppError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return badField('HEADERS_TOO_LARGE', 'The request headers are larger than 16 KiB.');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return badField('REQUEST_TIMEOUT', 'The request was not complete in time.');
  return badField('MALFORMED_HTTP', 'This is not a valid HTTP request.');
}

/** Node keeps the first of two such headers and drops the other; a proxy may do the opposite. So we refuse two. */
function repeatedHeader(request: FastifyRequest, name: string): AppError | undefined {
  // Names and values take turns.
  const isSent = (header: string, i: number): boolean => i % 2 === 0 && header.toLowerCase() === name;
  if (request.raw.rawHeaders.filter(isSent).length <= 1) return undefined;
  return badField('DUPLICATE_HEADER', `The header ${name} was sent more than once.`, name);
}

/** @throws BAD_REQUEST */
export function requireSingle(request: FastifyRequest, name: string): void {
  const fault = repeatedHeader(request, name);
  if (fault) throw fault;
}

/** Knows which methods exist on a path, so that a wrong method is 405 with `Allow` and not 404. */
class AllowedMethods {
  readonly #routes: { pattern: RegExp; method: string }[] = [];

  add(method: string, path: string): void {
    const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), method });
  }

  /** Empty when no route has this path. */
  on(url: string): string[] {
    const path = url.split(/[?#;]/, 1)[0] ?? '';
    return [...new Set(this.#routes.filter((route) => route.pattern.test(path)).map((route) => route.method))].sort();
  }
}

/** Aborts when the client leaves before it has its answer: work that nobody waits for ends. */
export function leavingOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leaving.abort(badRequest('The client left before it had an answer.'));
  });
  return leaving.signal;
}

/** Scheme and host for absolute URLs: as configured, otherwise as in the caller's request. */
export function publicRoot(request: FastifyRequest, configured: string | undefined): string {
  return configured ?? `${request.protocol}://${request.host}`;
}
