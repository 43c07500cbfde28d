/** Which engine gets a call, of those that may have it. */
import type { EngineGate } from './engine-gate.ts';

/** Of the first rank that can be called soon, the engine with the most room; when none can, the one that comes back first. */
export function pickGate(ranks: readonly EngineGate[][], failoverAfterMs: number): EngineGate {
  for (const rank of ranks) {
    const soon = rank.filter((gate) => gate.unavailableForMs() <= failoverAfterMs);
    const ready = soon.filter((gate) => gate.unavailableForMs() === 0);
    const [best] = (ready.length > 0 ? ready : soon).toSorted((one, other) => other.room() - one.room());
    if (best !== undefined) return best;
  }
  const [first] = ranks.flat().toSorted((one, other) => one.unavailableForMs() - other.unavailableForMs());
  if (first === undefined) throw new Error('no gate to choose from');
  return first;
}

/** An engine with room to spare takes calls that wait for another one of their rank. One more than fits: so its limit is seen to be too low. */
export function levelQueues(gates: readonly EngineGate[]): void {
  for (const gate of gates) {
    let wanted = gate.room() > 0 && gate.unavailableForMs() === 0 ? gate.room() + 1 : 0;
    for (const other of gates) {
      while (wanted > 0 && other !== gate && other.handOver(gate)) wanted -= 1;
    }
  }
}

export function without(ranks: readonly EngineGate[][], gate: EngineGate): EngineGate[][] {
  return ranks.map((rank) => rank.filter((other) => other !== gate)).filter((rank) => rank.length > 0);
}
