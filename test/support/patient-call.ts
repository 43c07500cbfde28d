import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from './api-client.ts';

/** A partner who tries again while the service is away, as the documentation says. */
export function patient(call: Call): Call {
  return async (...request): Promise<Answer> => {
    for (const deadline = Date.now() + 120_000; ; ) {
      const answer = await call(...request).catch((error: unknown) => {
        if (Date.now() > deadline || (error as Error).name === 'AssertionError') throw error;
        return undefined;
      });
      const isBusy = answer?.status === 503 || answer?.body?.error?.code === 'REQUEST_IN_PROGRESS';
      if (answer !== undefined && !(isBusy && Date.now() < deadline)) return answer;
      await sleep(100);
    }
  };
}
