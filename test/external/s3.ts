/** The storage suite on a real S3 server. Needs the S3 server. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { S3Storage } from '../../src/platform/storage/s3-storage.ts';
import { parseStorageUrl, type S3Url } from '../../src/platform/storage/storage-url.ts';
import { chunked, storageConformance } from '../platform/storage-conformance.ts';
import { requirePrograms } from '../support/proof.ts';
import { type Radosgw, startRadosgw } from './support/radosgw.ts';

requirePrograms({ dpkg: 'the S3 server is unpacked from Debian 12 packages' });

let gateway: Radosgw;
let storage: S3Storage;
let client: S3Client;

before(async () => {
  gateway = await startRadosgw();
  client = new S3Client({
    endpoint: gateway.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: credentials(),
  });
  await client.send(new CreateBucketCommand({ Bucket: 'novels' }));
  storage = new S3Storage(url('s3://novels/some/prefix'), credentials());
});
after(async () => {
  client?.destroy();
  await storage?.close();
  await gateway?.stop();
});

const credentials = () => ({ accessKeyId: gateway.accessKey, secretAccessKey: gateway.secretKey });

function url(text: string): S3Url {
  const parsed = parseStorageUrl(`${text}?endpoint=${gateway.endpoint}`);
  assert.ok(parsed.kind === 's3');
  return parsed;
}

storageConformance('S3', () => storage);

test('S3: after failed and aborted puts no unfinished multipart upload is left', async () => {
  const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'novels' }));
  assert.deepEqual(Uploads ?? [], []);
});

test('S3: two prefixes of one bucket do not see each other', async () => {
  const other = new S3Storage(url('s3://novels/other'), credentials());
  await storage.put('prefix/mine', chunked(Buffer.from('mine'), 4));
  assert.equal(await other.head('prefix/mine'), undefined);
  assert.deepEqual(await Array.fromAsync(other.list()), []);
  await other.close();
});

test('S3: a presigned URL serves the file under its name, with ranges, and no other', async () => {
  const content = randomBytes(100_000);
  await storage.put('presign/one', chunked(content, 8_000));
  const signed = await storage.presign('presign/one', {
    expiresInSeconds: 900,
    fileName: '紅樓夢 "1".zh-Hant.epub',
    mediaType: 'application/epub+zip',
  });
  const whole = await fetch(signed);
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get('content-type'), 'application/epub+zip');
  assert.match(
    whole.headers.get('content-disposition') ?? '',
    /filename\*=UTF-8''%E7%B4%85%E6%A8%93%E5%A4%A2%20%221%22\.zh-Hant\.epub$/,
  );
  assert.ok(content.equals(Buffer.from(await whole.arrayBuffer())));
  const part = await fetch(signed, { headers: { range: 'bytes=10-19' } });
  assert.equal(part.status, 206);
  assert.ok(content.subarray(10, 20).equals(Buffer.from(await part.arrayBuffer())));
  assert.equal((await fetch(signed.replace('presign/one', 'presign/two'))).status, 403);
  assert.equal((await fetch(signed.replace('epub', 'html'))).status, 403);
});

test('S3: wrong credentials and a missing bucket are UNAVAILABLE with a cause for the log', async () => {
  const wrong = new S3Storage(url('s3://novels'), { ...credentials(), secretAccessKey: 'wrong' });
  await assert.rejects(wrong.check(), { code: 'UNAVAILABLE', message: 'The object storage refuses our credentials.' });
  await assert.rejects(wrong.put('a', chunked(Buffer.from('x'), 1)), { code: 'UNAVAILABLE' });
  const missing = new S3Storage(url('s3://no-such-bucket'), credentials());
  await assert.rejects(missing.check(), { code: 'UNAVAILABLE' });
  await assert.rejects(missing.get('a'), { code: 'UNAVAILABLE' });
  await assert.rejects(missing.put('a', chunked(randomBytes(6_000_000), 65_536)), { code: 'UNAVAILABLE' });
  await wrong.close();
  await missing.close();
});

test('S3: 1,500 objects are listed over several pages', async () => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
  const queue = keys.values();
  const worker = async () => {
    for (const key of queue) await storage.put(key, chunked(Buffer.from(key), 100));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const listed = (await Array.fromAsync(storage.list())).filter((key) => key.startsWith('many/'));
  assert.deepEqual(listed.sort(), keys);
});

test('S3: putting 200 MB holds less than 80 MB', async () => {
  async function* large(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 3_200; count += 1) yield Buffer.alloc(65_536, count);
  }
  await storage.put('memory/warm', chunked(randomBytes(12_000_000), 65_536));
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const stored = await storage.put('memory/large', large());
  clearInterval(timer);
  assert.equal(stored.sizeBytes, 3_200 * 65_536);
  assert.ok(most - before < 80e6, `${Math.round((most - before) / 1e6)} MB more at the peak`);
});
