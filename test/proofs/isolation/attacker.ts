/**
 * A process that sends hostile shapes: `attacker.ts JSON`. It is asked by number, sends the shape again whenever all its tasks
 * have ended, and answers when it has been told to stop and the last ones have ended. A process of its own, because making, sending and reading fifty megabytes must not hold up the clock of the process that
 * measures; at a low priority, because an attacker is on another machine and takes no processor from the service.
 */
import { setPriority } from 'node:os';
import { hostileMs, hostileShapes, type ShapesToMake } from './hostile-shapes.ts';
import { type EndedTask, Partner } from './partner.ts';

export interface AttackerSettings extends ShapesToMake {
  api: string;
  key: string;
}

/** The number of a shape. */
export type AttackOrder = number | 'stop';

export interface Attacked {
  ends?: EndedTask[];
  fault?: string;
}

const settings: AttackerSettings = JSON.parse(process.argv[2] ?? '');
setPriority(10);
const attacker = new Partner(settings.api, settings.key);
const shapes = hostileShapes(settings);

/** Looking for the end is not the attack: how often a partner may ask is limited. */
const patientMs = 250;

let isAsked = false;
process.on('message', async (order: AttackOrder) => {
  isAsked = order !== 'stop';
  if (order === 'stop') return;
  const answer = await attack(order).catch((error: Error): Attacked => ({ fault: error.stack ?? String(error) }));
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());

async function attack(number: number): Promise<Attacked> {
  const ends: EndedTask[] = [];
  while (isAsked) {
    const ids = (await shapes[number]?.send(attacker)) ?? [];
    for (const { status, error } of await Promise.all(ids.map((id) => attacker.untilEnded(id, hostileMs, patientMs))))
      ends.push({ status, ...(error ? { error: { code: error.code } } : {}) });
  }
  return { ends };
}
