import { barChart } from './charts.ts';
import type { Html } from './html.ts';

interface Day {
  day: string;
  credits: number;
  completed: number;
  failed: number;
}

/** The credits of each day, in UTC. */
export function dayChart(title: string, days: readonly Day[]): Html {
  const scale = { title, from: days[0]?.day ?? '', to: days.at(-1)?.day ?? '' };
  return barChart(
    scale,
    days.map(({ day, credits, completed, failed }) => ({
      value: credits,
      label: `${day}: ${credits.toLocaleString('en')} credits, ${completed} completed, ${failed} failed`,
    })),
  );
}
