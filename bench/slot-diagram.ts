/** How many of a server's slots were in use over time, from the times of its calls. */
export interface SlotUse {
  /** Mean slots in use between the first arrival and the last end. */
  mean: number;
  /** One character per stretch of time: full height is every slot. */
  diagram: string;
  /** Seconds between the moment a tenth of the slots was idle for good and the end. */
  tailSeconds: number;
}

const heights = [...' ▁▂▃▄▅▆▇█'];
const columns = 80;

export function slotUse(calls: readonly { arrivedAt: number; endedAt: number }[], slots: number): SlotUse {
  const start = Math.min(...calls.map((call) => call.arrivedAt));
  const end = Math.max(...calls.map((call) => call.endedAt));
  const width = Math.max(1, end - start) / columns;
  const busyMs = calls.reduce((sum, call) => sum + call.endedAt - call.arrivedAt, 0);
  const diagram = Array.from({ length: columns }, (_, i) => {
    const [from, to] = [start + i * width, start + (i + 1) * width];
    const busy = calls.reduce(
      (sum, call) => sum + Math.max(0, Math.min(to, call.endedAt) - Math.max(from, call.arrivedAt)),
      0,
    );
    return heights[Math.min(8, Math.round((8 * busy) / (width * slots)))] ?? ' ';
  }).join('');
  // Where the last tenth of the slots became free: the end of the call that is so many from the last.
  const ends = calls.map((call) => call.endedAt).sort((a, b) => b - a);
  const tailSeconds = (end - (ends[Math.floor(slots * 0.9)] ?? end)) / 1000;
  return { mean: busyMs / Math.max(1, end - start), diagram, tailSeconds };
}
