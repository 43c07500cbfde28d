/** Pages with forms: what a form sends, and how a page answers. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../errors.ts';
import { pagePolicy } from '../pages/page-shell.ts';
import { isOneOf, wholeNumberOf } from '../written-values.ts';
import type { Server } from './server.ts';

export type Fields = URLSearchParams;

/** From now on these routes read what forms send. */
export function takeForms(pages: Server): void {
  pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return (
    reply
      .header('content-security-policy', pagePolicy)
      // With "no-referrer" browsers would not say that a page's own forms come from it.
      .header('referrer-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(page)
  );
}

export function fieldsOf(request: FastifyRequest): Fields {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** Trimmed; empty when it was left out. U+0000 is refused: the database cannot keep it. @throws BAD_REQUEST */
export function text(fields: Fields, name: string): string {
  const value = fields.get(name)?.trim() ?? '';
  if (value.includes('\0')) throw badRequest(`"${name}" has a character that cannot be stored.`, { field: name });
  return value;
}

/** @throws BAD_REQUEST */
export function requiredText(fields: Fields, name: string): string {
  const value = text(fields, name);
  if (value === '') throw badRequest(`"${name}" is missing.`, { field: name });
  return value;
}

/** @throws BAD_REQUEST */
export function wholeNumber(fields: Fields, name: string): number {
  const value = text(fields, name);
  const number = wholeNumberOf(value);
  if (number === undefined) throw badRequest(`"${name}" is a whole number, not "${value}".`, { field: name });
  return number;
}

/** @throws BAD_REQUEST */
export function oneOf<const T extends string>(fields: Fields, name: string, values: readonly T[]): T {
  const value = text(fields, name);
  if (!isOneOf(value, values)) throw badRequest(`"${name}" is one of ${values.join(', ')}.`, { field: name });
  return value;
}

/** A text of the address after `?`; empty when it is not there. */
export function queryText(request: FastifyRequest, name: string): string {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.trim().replaceAll('\0', '').slice(0, 300) : '';
}
