/** A task's progress for people: one line that redraws itself in a terminal, a line per stage elsewhere. */
import type { Task } from '../../../client/src/index.ts';
import type { Output } from '../terminal.ts';
import { number } from './partner-command.ts';

type ProgressLine = ReturnType<typeof terminalLine>;

const barWidth = 24;
const redrawMs = 1_000;

export function createProgressLine(stream: Output, quiet: boolean): ProgressLine {
  if (quiet) return { show() {}, end() {} };
  return stream.isTTY ? terminalLine(stream) : plainLines(stream);
}

function terminalLine(stream: Output) {
  let pace = createPace();
  let latest: Task | undefined;
  const draw = () => {
    if (!latest) return;
    const line = progressText(latest, pace.rate(), pace.secondsLeft(performance.now()));
    stream.write(`\r\u001b[K${line.slice(0, Math.max(20, (stream.columns || 80) - 1))}`);
  };
  // Between two polls only the remaining time changes.
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  return {
    show(task: Task) {
      if (latest === undefined) pace = createPace();
      pace.add(task, performance.now());
      latest = task;
      draw();
    },
    /** Leaves the terminal on a fresh line. */
    end() {
      clearInterval(timer);
      if (latest) stream.write('\n');
      latest = undefined;
    },
  };
}

function plainLines(stream: Output): ProgressLine {
  let shown: string | undefined;
  return {
    show({ stage, progress = 0 }) {
      if (stage === shown) return;
      shown = stage;
      stream.write(`${stage} ${percent(progress)}\n`);
    },
    end() {},
  };
}

/** `translating  ████████░░░░░░░░░░░░░░░░   34 %   1,210 characters/s   0:42 left` */
export function progressText(task: Task, charactersPerSecond?: number, secondsLeft?: number): string {
  const progress = task.progress ?? 0;
  const filled = Math.floor(progress * barWidth);
  const parts = [
    (task.stage ?? task.status).padEnd(11),
    '█'.repeat(filled) + '░'.repeat(barWidth - filled),
    percent(progress).padStart(5),
  ];
  if (charactersPerSecond !== undefined) parts.push(`${number(Math.round(charactersPerSecond))} characters/s`);
  if (secondsLeft !== undefined && task.status === 'pending') parts.push(`${clock(secondsLeft)} left`);
  return parts.join('  ');
}

/** Speed since progress started to move; undefined before that. */
export function createPace() {
  let first: { at: number; characters: number } | undefined;
  let last: { at: number; characters: number } | undefined;
  let total = 0;
  const rate = () =>
    first && last && last.at > first.at && last.characters > first.characters
      ? ((last.characters - first.characters) / (last.at - first.at)) * 1000
      : undefined;
  return {
    add(task: Task, at: number) {
      total = task.char_count;
      const characters = (task.progress ?? 0) * total;
      // Time in the queue does not count: the clock starts at the last poll before progress moved.
      if (first === undefined || characters <= first.characters) first = { at, characters };
      if (last === undefined || characters > last.characters) last = { at, characters };
    },
    rate,
    secondsLeft(now: number): number | undefined {
      const speed = rate();
      if (speed === undefined || !last) return undefined;
      return Math.max(0, (total - last.characters) / speed - (now - last.at) / 1000);
    },
  };
}

function percent(progress: number): string {
  return `${Math.floor(progress * 100)} %`;
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
