/**
 * A process that sends hostile shapes: `attacker.ts JSON`. It is asked by number, and answers when all tasks of the shape have
 * ended. A process of its own, because making, sending and reading fifty megabytes must not hold up the clock of whoever
 * measures; at a low priority, because an attacker is on another machine and takes no processor from the service.
 */
import { setPriority } from 'node:os';
import { hostileMs, hostileShapes, type ShapesToMake } from './hostile-shapes.ts';
import { type EndedTask, Partner } from './partner.ts';

export interface AttackerSettings extends ShapesToMake {
  api: string;
  key: string;
}

export interface Attacked {
  ends?: EndedTask[];
  fault?: string;
}

const settings: AttackerSettings = JSON.parse(process.argv[2] ?? '');
setPriority(10);
const attacker = new Partner(settings.api, settings.key);
const shapes = hostileShapes(settings);

process.on('message', async (number: number) => {
  const answer = await attack(number).catch((error: Error): Attacked => ({ fault: error.stack ?? String(error) }));
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());

async function attack(number: number): Promise<Attacked> {
  const ids = (await shapes[number]?.send(attacker)) ?? [];
  const ends = await Promise.all(ids.map((id) => attacker.untilEnded(id, hostileMs)));
  return { ends: ends.map(({ status, error }) => ({ status, ...(error ? { error: { code: error.code } } : {}) })) };
}
