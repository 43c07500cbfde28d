/**
 * Who is next for a free slot: round robin by account, within an account round robin by task, within a task in order.
 * So the first call of a short task waits for one turn, not for the rest of another account's novel.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** `urgent` calls (retries) go to the head of their own task only. */
  push(item: T, owner: Owner, urgent?: boolean): void;
  /** The next one; with `accepts`, the first task's whose next one is accepted. */
  shift(accepts?: (item: T) => boolean): T | undefined;
  /** True when the item was still waiting. */
  remove(item: T, owner: Owner): boolean;
}

export interface Owner {
  account: string;
  task: string;
}

export function createFairQueue<T>(): FairQueue<T> {
  // Maps keep insertion order: the first key is next, and a served key moves to the end.
  const accounts = new Map<string, Map<string, T[]>>();
  let size = 0;

  const drop = (owner: Owner, tasks: Map<string, T[]>): void => {
    if (tasks.get(owner.task)?.length === 0) tasks.delete(owner.task);
    if (tasks.size === 0) accounts.delete(owner.account);
  };

  return {
    get size() {
      return size;
    },
    push(item, owner, urgent = false) {
      const tasks = accounts.get(owner.account) ?? new Map<string, T[]>();
      accounts.set(owner.account, tasks);
      const items = tasks.get(owner.task) ?? [];
      tasks.set(owner.task, items);
      if (urgent) items.unshift(item);
      else items.push(item);
      size += 1;
    },
    shift(accepts = () => true) {
      for (const [accountName, tasks] of accounts) {
        for (const [taskName, items] of tasks) {
          const [item] = items;
          if (item === undefined || !accepts(item)) continue;
          items.shift();
          size -= 1;
          tasks.delete(taskName);
          if (items.length > 0) tasks.set(taskName, items);
          accounts.delete(accountName);
          if (tasks.size > 0) accounts.set(accountName, tasks);
          return item;
        }
      }
      return undefined;
    },
    remove(item, owner) {
      const tasks = accounts.get(owner.account);
      const items = tasks?.get(owner.task);
      const index = items?.indexOf(item) ?? -1;
      if (tasks === undefined || items === undefined || index < 0) return false;
      items.splice(index, 1);
      size -= 1;
      drop(owner, tasks);
      return true;
    },
  };
}
