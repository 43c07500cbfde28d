/**
 * The secrets of webhooks (Standard Webhooks 1.0: `whsec_` + base64) and the signatures made with them. A hash would not do
 * for storing them: they are needed to sign, so they are encrypted, each bound to its webhook.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../secret.ts';

const nonceBytes = 12;
const tagBytes = 16;

export function newWebhookSecret(): Secret {
  return new Secret(`whsec_${randomBytes(32).toString('base64')}`);
}

export function encryptSecret(secret: Secret, webhookId: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(webhookId));
  const encrypted = Buffer.concat([cipher.update(secret.reveal()), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** @throws when it was encrypted with another key, or for another webhook */
export function decryptSecret(stored: Buffer, webhookId: string, key: Buffer): Secret {
  const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(webhookId))
    .setAuthTag(stored.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = Buffer.concat([decipher.update(stored.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return new Secret(text.toString());
}

export interface SignedMessage {
  id: string;
  body: string;
  timestampSeconds: number;
}

/** The three headers; one signature per secret, the newest first. */
export function signatureHeaders(message: SignedMessage, secrets: readonly Secret[]): Record<string, string> {
  const { id, body, timestampSeconds } = message;
  const content = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
