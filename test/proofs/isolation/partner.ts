/** The calls of one partner, by a client that does little besides. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LeanAnswer, LeanClient } from '../../support/lean-client.ts';
import { bodyOf } from '../../support/text-form.ts';

export interface EndedTask {
  status: string;
  error?: { code: string };
}

export class Partner {
  readonly key: string;
  readonly #api: string;
  readonly #client = new LeanClient(100);

  constructor(api: string, key: string) {
    this.#api = api;
    this.key = key;
  }

  create(fields: Readonly<Record<string, unknown>>): Promise<LeanAnswer> {
    const { type, body } = bodyOf(fields);
    return this.send('POST', '/tasks', body, type);
  }

  send(method: string, path: string, body: string, type: string, client = this.#client): Promise<LeanAnswer> {
    return client.send(method, `${this.#api}${path}`, { key: this.key, body, headers: { 'content-type': type } });
  }

  get(path: string): Promise<LeanAnswer> {
    return this.#client.send('GET', `${this.#api}${path}`, { key: this.key });
  }

  upload(form: FormData): Promise<Response> {
    const headers = { authorization: `Bearer ${this.key}` };
    return fetch(`${this.#api}/tasks`, { method: 'POST', body: form, headers });
  }

  /** @param firstWaitMs before the second look; then ever longer */
  async untilEnded(taskId: string, timeoutMs: number, firstWaitMs = 5): Promise<EndedTask> {
    const deadline = performance.now() + timeoutMs;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(Math.max(200, firstWaitMs), waitMs * 1.2)) {
      const { status, text } = await this.get(`/tasks/${taskId}`);
      const task = status === 200 ? JSON.parse(text).data : { status: `answered ${status}` };
      if (task.status !== 'pending' || performance.now() > deadline) return task;
      await sleep(waitMs);
    }
  }

  close(): void {
    this.#client.close();
  }
}

export function idOf(text: string): string {
  return JSON.parse(text).data.task_id;
}
