/** What the console works with, and how its sections register their pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EngineMemory } from '../operators/engine-actions.ts';
import type { EngineListing } from '../operators/engine-listing.ts';
import type { Finding } from '../operators/system-checks.ts';
import type { PageAssets } from '../pages/page-assets.ts';
import type { Notice, WorkContent, WorkFrame } from '../pages/work-page.ts';
import type { CreateTaskDependencies } from '../tasks/order-task.ts';
import type { ConsoleAccess } from './session.ts';

export interface ConsoleServices extends CreateTaskDependencies {
  access: ConsoleAccess;
  assets: PageAssets;
  keyPepper: Buffer;
  urlSigningKey: Buffer;
  dataDir: string;
  settings: readonly { variable: string; value: string }[];
  listEngines(): EngineListing;
  /** One real call. @throws NOT_FOUND */
  testEngine(name: string, actor: string): Promise<{ ok: boolean; finding: string }>;
  /** What was learned about the servers of engines. */
  engineMemories(): Promise<EngineMemory[]>;
  /** @returns false when there was nothing. @throws NOT_FOUND */
  forgetEngine(name: string, actor: string): Promise<boolean>;
  checkSystem(): Promise<Finding[]>;
}

export interface ConsoleRoutes {
  /** A page to look at. */
  page(path: string, show: Show): void;
  /**
   * A change. When it is refused, the page it came from is shown with the reason.
   * @param apply returns what that page shows at once, or where to go, perhaps with something that is shown until it is dismissed
   */
  change(
    path: string,
    show: Show,
    apply: (request: FastifyRequest, actor: string) => Promise<Notice | { goTo: string; keep?: Notice }>,
  ): void;
  raw(path: string, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): void;
}

export type Show = (request: FastifyRequest, frame: WorkFrame) => Promise<WorkContent<Section>>;

type Section = (typeof sections)[number][0];

export const sections = [
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

export function param(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? '';
}
