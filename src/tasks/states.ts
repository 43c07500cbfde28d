/**
 * The states of a task and its ways between them, in one table. The database repeats it in constraints (`tasks_status_known`,
 * `tasks_stage_fits_status`, `tasks_end_final`), and test/tasks/states.test.ts compares the two.
 */
export const states = {
  /** Waits for a worker or runs. It stays so while it is tried again: no attempt is a state of its own. */
  pending: {
    stages: ['queued', 'preparing', 'translating', 'finalizing'],
    /** `books/run-task` completes and fails it, `tasks/end-task` cancels it; prices are in `tasks/price`. */
    next: ['completed', 'failed', 'cancelled'],
  },
  completed: { stages: ['completed'], next: [] },
  /** Costs nothing. */
  failed: { stages: ['failed'], next: [] },
  /** Costs what was finished, which a worker writes down afterwards. */
  cancelled: { stages: ['cancelled'], next: [] },
} as const;

export type Status = keyof typeof states;
export const statuses = Object.keys(states) as Status[];

/** Shown to the partner. A stage never goes back, also when another attempt begins anew. */
export type Stage = (typeof states)[Status]['stages'][number];
export const stages: readonly Stage[] = Object.values(states).flatMap((state): readonly Stage[] => state.stages);
