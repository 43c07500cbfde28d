/** The frame of the partner's pages, and how they register. */
import type { FastifyRequest } from 'fastify';
import type { Notice, WorkContent, WorkFrame } from '../pages/work-page.ts';
import type { AccountApi } from './account-api.ts';

export interface AccountFrame extends WorkFrame {
  api: AccountApi;
}

export const sections = [
  ['tasks', '/account', 'Tasks'],
  ['usage', '/account/usage', 'Usage'],
  ['series', '/account/series', 'Series'],
  ['webhooks', '/account/webhooks', 'Webhooks'],
  ['keys', '/account/keys', 'Keys'],
] as const;

type Section = (typeof sections)[number][0];

export interface AccountRoutes {
  /** A page to look at. */
  page(path: string, show: Show): void;
  /** A change. What it came to, or why it was refused, is told on the page it came from. */
  change(path: string, show: Show, apply: (request: FastifyRequest, api: AccountApi) => Promise<Notice>): void;
  /** Where to go instead. */
  redirect(path: string, target: (request: FastifyRequest, api: AccountApi) => Promise<string>): void;
}

export type Show = (request: FastifyRequest, frame: AccountFrame) => Promise<WorkContent<Section>>;

/** A part of the address, as it goes into an address of the API. */
export function part(request: FastifyRequest, name: string): string {
  return encodeURIComponent((request.params as Record<string, string>)[name] ?? '');
}
