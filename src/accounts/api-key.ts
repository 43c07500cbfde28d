/**
 * The form of an API key: `tol_live_` or `tol_test_`, 32 random base62 characters (190 bits), and 6 base62 characters of CRC32. A
 * mistyped or invented key is so refused without a database read, and secret scanners know ours.
 */
import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyMode = 'live' | 'test';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyForm = /^tol_(live|test)_[0-9A-Za-z]{38}$/;
const prefixLength = 13;

export function generateApiKey(mode: KeyMode): string {
  let body = `tol_${mode}_`;
  for (let i = 0; i < 32; i++) body += base62[randomInt(62)];
  return body + checksum(body);
}

/** False for anything that we cannot have issued. */
export function isWellFormedApiKey(key: string): boolean {
  return keyForm.test(key) && checksum(key.slice(0, -6)) === key.slice(-6);
}

/** First characters, by which people recognise a key; `npx toledo key revoke` takes them too. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, prefixLength);
}

/** The stored form: useless to anyone who reads the database without the server's pepper. */
export function hashApiKey(key: string, pepper: Buffer): Buffer {
  return createHmac('sha256', pepper).update(key).digest();
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = base62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
