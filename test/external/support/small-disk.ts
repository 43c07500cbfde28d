/** A disk of a few megabytes that can be filled to the last byte: a tmpfs. Needs the right to mount one (root on Linux). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  path: string;
  freeBytes(): number;
  /** Takes all space but this; a second call takes what has come free since. */
  fill(leaveBytes?: number): void;
  /** Gives the space back. */
  release(): void;
  unmount(): void;
}

export function mountSmallDisk(path: string, sizeMb: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('This proof mounts a small tmpfs, which takes root on Linux; it cannot be run here.', { cause });
  }
  const fillers: string[] = [];
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leaveBytes = 0) {
      const filler = join(path, `filler-${fillers.length}`);
      fillers.push(filler);
      const sizeBytes = freeBytes() - leaveBytes;
      try {
        if (sizeBytes > 0) writeFileSync(filler, Buffer.alloc(sizeBytes, 1));
      } catch (error) {
        // Somebody else took the last bytes meanwhile: all the fuller.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    release() {
      for (const filler of fillers.splice(0)) rmSync(filler, { force: true });
    },
    unmount() {
      execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
    },
  };
}
