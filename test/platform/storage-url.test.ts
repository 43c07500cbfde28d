import assert from 'node:assert/strict';
import { test } from 'node:test';
import { S3Storage } from '../../src/platform/storage/s3-storage.ts';
import { parseStorageUrl } from '../../src/platform/storage/storage-url.ts';

test('a storage setting says file or a bucket, with what is left out filled in', () => {
  assert.deepEqual(parseStorageUrl('file'), { kind: 'file' });
  const bare = { kind: 's3', bucket: 'novels', prefix: '', endpoint: undefined, region: undefined };
  assert.deepEqual(parseStorageUrl('s3://novels'), bare);
  assert.deepEqual(parseStorageUrl('s3://novels/'), bare);
  assert.deepEqual(parseStorageUrl('s3://novels/a/b_1/?region=eu-central-1'), {
    ...bare,
    prefix: 'a/b_1/',
    region: 'eu-central-1',
  });
  assert.deepEqual(parseStorageUrl('s3://novels?endpoint=http://127.0.0.1:9000'), {
    ...bare,
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
  });
});

test('a faulty storage setting is told in one clear sentence', () => {
  const table: [setting: string, sentence: RegExp][] = [
    ['', /must be "file" or begin with "s3:\/\/"/],
    ['/var/data', /must be "file"/],
    ['s3://', /bucket name/],
    ['s3://A_b', /bucket name/],
    ['s3://novels:9000', /port after the bucket/],
    ['s3://key:secret@novels', /credentials/],
    ['s3://novels/Ä', /prefix/],
    ['s3://novels/a//b', /prefix/],
    ['s3://novels/a.b', /prefix/],
    ['s3://novels?endpont=http://x', /unknown parameter "endpont"/],
    ['s3://novels?region=a&region=b', /"region" twice/],
    ['s3://novels?region=', /region/],
    ['s3://novels?endpoint=nonsense', /endpoint that is not a URL/],
    ['s3://novels?endpoint=ftp://x', /endpoint such as/],
    ['s3://novels?endpoint=http://x/path', /endpoint such as/],
    ['s3://novels#x', /fragment/],
  ];
  for (const [setting, sentence] of table) {
    assert.throws(
      () => parseStorageUrl(setting),
      (error) =>
        error instanceof Error && sentence.test(error.message) && /^The storage setting .*\.$/.test(error.message),
      setting,
    );
  }
});

test('an object storage that cannot be reached is UNAVAILABLE, whatever is asked of it', async () => {
  const url = parseStorageUrl('s3://novels?endpoint=http://127.0.0.1:1');
  assert.ok(url.kind === 's3');
  const storage = new S3Storage(url, { accessKeyId: 'a', secretAccessKey: 'b' });
  const expected = { name: 'AppError', code: 'UNAVAILABLE', message: 'The object storage cannot answer just now.' };
  async function* body(sizeBytes = 4) {
    for (let at = 0; at < sizeBytes; at += 65_536) yield Buffer.alloc(Math.min(65_536, sizeBytes - at));
  }
  await Promise.all([
    assert.rejects(storage.put('a', body()), expected),
    assert.rejects(storage.put('large', body(20_000_000)), expected),
    assert.rejects(storage.get('a'), expected),
    assert.rejects(storage.head('a'), expected),
    assert.rejects(storage.delete('a'), expected),
    assert.rejects(Array.fromAsync(storage.list()), expected),
    assert.rejects(storage.check(), expected),
  ]);
  await storage.close();
});
