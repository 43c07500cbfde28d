import type { Caller } from '../accounts/admit.ts';
import { AppError } from '../errors.ts';
import { type Action, actions } from './task.ts';
import type { UnchargedToday } from './uncharged-store.ts';

/**
 * Cancelling early and failing on purpose cost nothing, but engines have worked: past the limit of a day, an account's new
 * tasks wait for the next one. Free actions ask no engine and stay. @throws RATE_LIMITED
 */
export function refuseUncharged(
  limit: number,
  { characters, secondsLeft }: UnchargedToday,
  { mode }: Pick<Caller, 'mode'>,
  action: Action,
): void {
  if (mode === 'test' || !actions[action].charged) return;
  if (characters <= limit) return;
  throw new AppError(
    'RATE_LIMITED',
    'Tasks that were cancelled or failed have used up what may be done without charge in one day; it starts anew at midnight UTC.',
    {
      details: { reason: 'UNCHARGED_WORK', uncharged_characters: characters, limit_characters: limit },
      retryAfterSeconds: secondsLeft,
    },
  );
}
