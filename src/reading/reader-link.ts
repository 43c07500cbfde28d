/**
 * Links that open a translated book in a browser. An address carries the id of its row and a signature over everything the row
 * says, so it can be neither guessed nor changed. The row is what can be revoked. A link dies with the key that asked for it
 * and with the text it shows, and rests while the account is suspended.
 */
import { createHmac } from 'node:crypto';
import { ownerOfKey } from '../accounts/account-store.ts';
import { AppError } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/postgres.ts';
import { isSame } from '../tasks/download-links.ts';
import type { Task } from '../tasks/task.ts';
import { findTask } from '../tasks/task-store.ts';
import { findReaderLink, insertReaderLink, type ReaderLink, spendOfLink } from './reader-link-store.ts';

export const defaultReaderSeconds = 7 * 24 * 3600;
export const maxReaderSeconds = 90 * 24 * 3600;

/** What a link may ask for in a minute, in units of `readerCosts`: a team that scrolls through a novel asks for half of it. */
export const readerUnitsPerMinute = 240;
/** By how much work a request makes: a search reads the whole book, a replaced term changes it, and to make a file writes it. */
export const readerCosts = { read: 1, correction: 2, search: 6, download: 6, term: 24, make: 24 };

export async function createReaderLink(
  db: Db,
  task: Task,
  options: { keyId: string; editable: boolean; expiresInSeconds: number; forOperator?: boolean },
): Promise<ReaderLink> {
  const { keyId, editable, expiresInSeconds, forOperator = false } = options;
  // Whole seconds: what is signed must read back from the database as it was.
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + expiresInSeconds) * 1000);
  const link = { id: newId('rdl'), taskId: task.id, keyId, editable, forOperator, expiresAt, revokedAt: undefined };
  await insertReaderLink(db, link);
  return link;
}

/** Path below the root of the service. */
export function readerPath(link: ReaderLink, signingKey: Buffer): string {
  return `/read/${link.id}/${signatureOf(link, signingKey)}/`;
}

/** @throws READER_LINK_INVALID, READER_LINK_EXPIRED, RATE_LIMITED, OUTPUT_EXPIRED */
export async function openReaderLink(
  db: Db,
  { id, signature }: { id: string; signature: string },
  signingKey: Buffer,
  cost: keyof typeof readerCosts,
): Promise<{ link: ReaderLink; task: Task }> {
  const link = /^rdl_[0-9a-z]{26}$/.test(id) ? await findReaderLink(db, id) : undefined;
  if (!link || link.revokedAt || !isSame(signature, signatureOf(link, signingKey))) throw invalid();
  if (link.expiresAt.getTime() <= Date.now())
    throw new AppError('READER_LINK_EXPIRED', 'This link has expired. Ask the sender for a new one.');
  const asked = await ownerOfKey(db, link.keyId);
  // A reader need not know how things stand between the partner and the operator.
  if (asked === undefined || (asked.isSuspended && !link.forOperator)) throw invalid();
  await spend(db, link, cost);
  const task = await findTask(db, asked.owner, link.taskId);
  if (task.purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this book was removed.');
  return { link, task };
}

/** @throws RATE_LIMITED */
export async function spend(db: Db, link: ReaderLink, cost: keyof typeof readerCosts): Promise<void> {
  const waitSeconds = await spendOfLink(db, link.id, readerCosts[cost], readerUnitsPerMinute);
  if (waitSeconds === undefined) return;
  const message = `Too much was asked for through this link. Try again in ${waitSeconds} s.`;
  throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: waitSeconds });
}

function signatureOf({ id, taskId, keyId, editable, expiresAt }: ReaderLink, signingKey: Buffer): string {
  return createHmac('sha256', signingKey)
    .update(JSON.stringify(['reader', id, taskId, keyId, editable, expiresAt.getTime()]))
    .digest('base64url');
}

function invalid(): AppError {
  return new AppError('READER_LINK_INVALID', 'This link is not valid, or it was withdrawn.');
}
