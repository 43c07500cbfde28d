/**
 * What partners are told without asking. An event's id begins with its place in the account's feed, so it sorts in feed order. It
 * stays a usable cursor after its row has been removed.
 */
import { newId } from '../platform/ids.ts';
import type { Owner } from '../platform/owner-store.ts';
import { wireFields } from '../wire-fields.ts';

export const eventTypes = [
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.delivered',
  'task.chapter_ready',
  'balance.low',
  'webhook.disabled',
] as const;
export type EventType = (typeof eventTypes)[number];

/** What the feed shows when no types are asked for: chapters would drown the rest. */
export const usualTypes: readonly EventType[] = eventTypes.filter((type) => type !== 'task.chapter_ready');

/** Days that events and deliveries are kept. */
export const eventRetentionDays = 30;

export interface NewEvent extends Owner {
  type: EventType;
  /** As partners see it; no text of a book. */
  data: Record<string, unknown>;
  taskId?: string;
  chapter?: number;
}

export interface Event extends Owner {
  id: string;
  place: number;
  type: EventType;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** On the wire: in the feed and as the body of a webhook. */
export function eventView(event: { id: string; type: string; createdAt: Date; data: Record<string, unknown> }) {
  return wireFields(event, 'id', 'type', 'createdAt', 'data');
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits: a million events a second for 35 years. */
const placeDigits = 10;
const idLength = 26;

export function eventIdAt(place: number): string {
  return `evt_${placeText(place)}${newId('evt').slice('evt_'.length + placeDigits)}`;
}

/** The cursor in front of the first event. */
export const beginning = `evt_${'0'.repeat(idLength)}`;

/** The place that an event id names; undefined when it has not the form of one. */
export function placeOf(eventId: string): number | undefined {
  const digits = /^evt_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(eventId)?.[1];
  return digits === undefined ? undefined : [...digits].reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
}

function placeText(place: number): string {
  let text = '';
  for (let rest = place; text.length < placeDigits; rest = Math.floor(rest / 32))
    text = (alphabet[rest % 32] as string) + text;
  return text;
}
