/** Takes long to load, as our own modules do on a busy machine. */
import { setTimeout as sleep } from 'node:timers/promises';

await sleep(3_000);
