/** An upload server in a process of its own, which tells its memory: see `test/proofs/upload-memory.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { startUploadServer } from '../../support/upload-server.ts';

const server = await startUploadServer();
process.send?.({ url: server.url });
process.on('message', async (message) => {
  if (message === 'close') {
    await server.close();
    process.disconnect?.();
    return;
  }
  const status = readFileSync('/proc/self/status', 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  process.send?.({ residentBytes: read('VmRSS'), peakBytes: read('VmHWM') });
  // Sets the peak back to what is in use now.
  writeFileSync('/proc/self/clear_refs', '5');
});
