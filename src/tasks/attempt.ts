/** A worker's hold on a task: the number that every write of it carries. */
export interface Attempt {
  taskId: string;
  number: number;
}

/** This worker no longer holds the task: it ended, or another worker took it. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  constructor(taskId: string) {
    super(`${taskId} is no longer held by this worker`);
  }
}
