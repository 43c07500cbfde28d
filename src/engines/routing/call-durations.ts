/**
 * How long an engine's calls usually take, by their size: from its own last answers. Durations are compared per character, so
 * that long and short calls tell about each other. The time to the first token counts as some characters more.
 */
export interface CallDurations {
  observed(size: CallSize, durationMs: number): void;
  /** Nine of ten calls of this size end sooner; undefined while too few have ended. */
  usualMs(size: CallSize): number | undefined;
}

export interface CallSize {
  /** Calls that are alike: what is asked, and between which languages. */
  lane: string;
  /** Of the text that is sent to be worked on. */
  characters: number;
}

const firstTokenCharacters = 150;
const fewest = 12;
const remembered = 100;
const maxLanes = 64;

export function createCallDurations(): CallDurations {
  /** Milliseconds per character, newest last. */
  const lanes = new Map<string, number[]>();
  return {
    observed({ lane, characters }, durationMs) {
      const rates = lanes.get(lane) ?? [];
      rates.push(durationMs / (characters + firstTokenCharacters));
      if (rates.length > remembered) rates.shift();
      // The lane that was used last is forgotten last.
      lanes.delete(lane);
      lanes.set(lane, rates);
      const [oldest] = lanes.keys();
      if (lanes.size > maxLanes && oldest !== undefined) lanes.delete(oldest);
    },
    usualMs({ lane, characters }) {
      const rates = lanes.get(lane) ?? [];
      if (rates.length < fewest) return undefined;
      const slow = rates.toSorted((a, b) => a - b)[Math.floor(rates.length * 0.9)] ?? 0;
      return slow * (characters + firstTokenCharacters);
    },
  };
}
