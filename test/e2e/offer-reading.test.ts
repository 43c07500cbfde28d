import { strict as assert } from 'node:assert';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { offerReading, type Terminal } from '../../scripts/offer-reading.ts';

const link = 'http://127.0.0.1:1/read/x/y/';
const folder = await mkdtemp(join(tmpdir(), 'toledo-opener-'));
after(() => rm(folder, { recursive: true, force: true }));
const opened = join(folder, 'opened');
const opener = join(folder, 'open-a-browser');
await writeFile(opener, `#!/bin/sh\necho "$1" > ${opened}\n`);
await chmod(opener, 0o755);

/** Answers each question in turn; undefined ends the input. */
async function offer(about: Partial<Terminal>, answers: (string | undefined)[] = []): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
    if (!/(\[Y\/n\]|press Enter\.) $/.test(said)) return;
    const answer = answers.shift();
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  await offerReading(link, { input, output, isInteractive: true, opener: undefined, ...about });
  assert.equal(answers.length, 0, `more answers than questions: ${said}`);
  return said;
}

test('without a terminal the demo prints the address, asks nothing and says that it ends', async () => {
  const said = await offer({ isInteractive: false, opener });
  assert.match(said, /\n {2}http:\/\/127\.0\.0\.1:1\/read\/x\/y\/\n.*it ends now/);
  assert.doesNotMatch(said, /Y\/n/);
});

test('a terminal without a browser keeps the service until Enter', async () => {
  const said = await offer({}, ['']);
  assert.doesNotMatch(said, /Y\/n/);
  assert.match(said, /until you press Enter\. $/);
});

test('with a browser the book is opened when that is wanted, and only then', async () => {
  await offer({ opener }, ['n', '']);
  await assert.rejects(readFile(opened));
  await offer({ opener }, ['', '']);
  for (let text = ''; text === ''; await sleep(10)) text = await readFile(opened, 'utf8').catch(() => '');
  assert.equal((await readFile(opened, 'utf8')).trim(), link);
});

test('a browser that cannot be started, and an input that ends, leave the demo in order', async () => {
  assert.match(await offer({ opener: join(folder, 'missing') }, ['y', '']), /copy the address/);
  assert.match(await offer({ opener }, [undefined]), /Open it/);
});
