/**
 * Signed download URLs: a client that holds one may fetch that file until it expires, any number of times. A URL names the
 * key that asked for it and dies with it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

export interface DownloadGrant {
  taskId: string;
  fileId: string;
  keyId: string;
  expiresAtSeconds: number;
}

export const downloadLifetimeSeconds = 900;

/** Path and query, below the root of the service. */
export function signedDownloadPath(grant: DownloadGrant, signingKey: Buffer): string {
  const query = new URLSearchParams({
    file_id: grant.fileId,
    key: grant.keyId,
    expires: String(grant.expiresAtSeconds),
    signature: signatureOf(grant, signingKey),
  });
  return `/api/tasks/download-file/${grant.taskId}?${query}`;
}

/** True when a query means to be signed at all, rather than to come with a Bearer key. */
export function isSigned(query: URLSearchParams): boolean {
  return query.has('signature') || query.has('expires') || query.has('key');
}

/** @throws DOWNLOAD_URL_INVALID, DOWNLOAD_URL_EXPIRED */
export function verifyDownload(taskId: string, query: URLSearchParams, signingKey: Buffer, now: Date): DownloadGrant {
  const names = [...query.keys()].sort().join();
  const expires = query.get('expires') ?? '';
  if (names !== 'expires,file_id,key,signature' || !/^[1-9]\d{9,11}$/.test(expires)) throw invalid();
  const grant = {
    taskId,
    fileId: query.get('file_id') ?? '',
    keyId: query.get('key') ?? '',
    expiresAtSeconds: Number(expires),
  };
  if (!isSame(query.get('signature') ?? '', signatureOf(grant, signingKey))) throw invalid();
  if (now.getTime() >= grant.expiresAtSeconds * 1000)
    throw new AppError('DOWNLOAD_URL_EXPIRED', 'This download URL has expired; ask for a new one.');
  return grant;
}

/** In a time that tells nothing of the place where they differ. */
export function isSame(signature: string, genuine: string): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(genuine)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function signatureOf({ taskId, fileId, keyId, expiresAtSeconds }: DownloadGrant, signingKey: Buffer): string {
  return createHmac('sha256', signingKey)
    .update(JSON.stringify(['download', taskId, fileId, keyId, expiresAtSeconds]))
    .digest('base64url');
}

export function invalid(): AppError {
  return new AppError('DOWNLOAD_URL_INVALID', 'This download URL is not valid; ask for a new one.');
}
