/** The frame of the console's pages. */
import type { HtmlValue } from '../pages/html.ts';
import { type WorkFrame, workPage } from '../pages/work-page.ts';

export type ConsoleFrame = WorkFrame;

const sections = [
  ['overview', '/console', 'Overview'],
  ['tasks', '/console/tasks', 'Tasks'],
  ['accounts', '/console/accounts', 'Accounts'],
  ['usage', '/console/usage', 'Usage'],
  ['series', '/console/series', 'Series'],
  ['engines', '/console/engines', 'Engines'],
  ['evaluations', '/console/evaluations', 'Evaluations'],
  ['webhooks', '/console/webhooks', 'Webhooks'],
  ['system', '/console/system', 'System'],
  ['audit', '/console/audit', 'Audit log'],
] as const;
export type Section = (typeof sections)[number][0];

const area = { name: 'Console', root: '/console', sections };

export function consolePage(
  frame: ConsoleFrame,
  page: { title: string; section: Section; body: HtmlValue; styles?: readonly string[] },
): string {
  return workPage(frame, area, page);
}
