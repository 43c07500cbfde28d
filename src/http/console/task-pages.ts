import type { FastifyRequest } from 'fastify';
import { findAccount } from '../../accounts/account-store.ts';
import { isReadable, openForOperator } from '../../operators/read-task.ts';
import { cancelForOperator, requeueForOperator } from '../../operators/task-changes.ts';
import { searchTasks } from '../../operators/task-search-store.ts';
import { tellTask } from '../../operators/task-story.ts';
import type { ConsoleFrame } from '../../pages/console/console-shell.ts';
import { taskListPage, taskPage, taskParts } from '../../pages/console/task-pages.ts';
import { type Status, statuses } from '../../tasks/task.ts';
import { type ConsoleDependencies, type ConsoleRoutes, param } from './console-dependencies.ts';
import { queryText } from './console-form.ts';

const pageSize = 50;

export function registerConsoleTasks({ page, change, raw, streams }: ConsoleRoutes, deps: ConsoleDependencies): void {
  const { db } = deps;
  page('/tasks', async (request, frame) => {
    const query = {
      q: queryText(request, 'q'),
      account: queryText(request, 'account'),
      status: queryText(request, 'status'),
    };
    const before = queryText(request, 'before') || undefined;
    const status = (statuses as readonly string[]).includes(query.status) ? (query.status as Status) : undefined;
    const account = query.account === '' ? undefined : await accountId(query.account);
    const found =
      account === null
        ? []
        : await searchTasks(db, { text: query.q, accountId: account, status, before, limit: pageSize + 1 });
    const shown = found.slice(0, pageSize);
    return taskListPage(frame, query, shown, found.length > pageSize ? shown.at(-1)?.id : undefined);
  });

  /** Null when there is none. */
  async function accountId(idOrName: string): Promise<string | null> {
    try {
      return (await findAccount(db, idOrName)).id;
    } catch {
      return null;
    }
  }

  const show = async (request: FastifyRequest, frame: ConsoleFrame) => {
    const story = await tellTask(db, param(request, 'id'));
    return taskPage(frame, story, isReadable(story.task));
  };
  const back = (request: FastifyRequest) => `/console/tasks/${param(request, 'id')}`;
  page('/tasks/:id', show);
  raw('/tasks/:id/live', async (request, reply) => {
    const id = param(request, 'id');
    await tellTask(db, id);
    streams.send(reply, async () => {
      const story = await tellTask(db, id);
      return { html: taskParts(story).text, last: story.task.status !== 'pending' };
    });
  });
  change('/tasks/:id/cancel', {
    async apply(request, actor) {
      await cancelForOperator(deps, actor, param(request, 'id'));
      return 'cancelled';
    },
    back,
    show,
  });
  change('/tasks/:id/read', {
    apply: async (request, actor) => ({
      goTo: await openForOperator(db, actor, param(request, 'id'), deps.urlSigningKey),
    }),
    back,
    show,
  });
  change('/tasks/:id/requeue', {
    async apply(request, actor) {
      await requeueForOperator(deps, actor, param(request, 'id'));
      return 'requeued';
    },
    back,
    show,
  });
}
