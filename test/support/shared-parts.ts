/**
 * What the files of one test process share, such as an application and a browser: opened by the first that asks, closed when the
 * process has run its last file.
 */
import { after } from 'node:test';

interface Opened<T> {
  part: T;
  close(): Promise<void>;
}

const opened = new Map<string, Promise<Opened<unknown>>>();
let runsSeveralFiles = false;

after(async () => {
  if (!runsSeveralFiles) await closeSharedParts();
});

/** Called by a process that calls `closeSharedParts` itself, after its last file. */
export function keepSharedParts(): void {
  runsSeveralFiles = true;
}

export async function sharedPart<T>(name: string, open: () => Promise<Opened<T>>): Promise<T> {
  const shared = (opened.get(name) as Promise<Opened<T>> | undefined) ?? open();
  opened.set(name, shared);
  return (await shared).part;
}

/** The last opened first. */
export async function closeSharedParts(): Promise<void> {
  for (const [name, part] of [...opened].reverse()) {
    opened.delete(name);
    await (await part).close();
  }
}
