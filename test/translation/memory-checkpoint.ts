import type { Checkpoint, CheckpointRecord } from '../../src/translation/checkpoint.ts';

/** Keeps records as the text a database would keep, and refuses to save the same one twice. */
export class MemoryCheckpoint implements Checkpoint {
  readonly records = new Map<string, string>();
  /** Called before each save; throwing is a crash at that moment. */
  beforeSave: () => void = () => {};

  async load(): Promise<CheckpointRecord[]> {
    return [...this.records.values()].map((text) => JSON.parse(text));
  }

  async save(record: CheckpointRecord): Promise<void> {
    this.beforeSave();
    const key = `${record.kind} ${record.key}`;
    if (this.records.has(key)) throw new Error(`saved twice: ${key}`);
    this.records.set(key, JSON.stringify(record));
  }
}
