/** What every storage promises. Run on local files in the normal tests and on a real S3 server in `npm run prove s3`. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { type Storage, StorageMissing, verifyStored } from '../../src/platform/storage/storage.ts';

export function storageConformance(name: string, open: () => Storage): void {
  const title = (guarantee: string) => `${name}: ${guarantee}`;

  test(title('an object comes back byte for byte with its size and SHA-256'), async () => {
    for (const sizeBytes of [0, 1, 65_536, 1_000_003]) {
      const content = randomBytes(sizeBytes);
      const stored = await open().put(`same/size_${sizeBytes}`, chunked(content, 10_007));
      assert.deepEqual(stored, { key: `same/size_${sizeBytes}`, sizeBytes, sha256: sha256(content) });
      const found = await open().get(stored.key);
      assert.equal(found.sizeBytes, sizeBytes);
      assert.ok(content.equals(await buffer(found.body)));
      assert.deepEqual(await open().head(stored.key), { sizeBytes });
      assert.equal(await verifyStored(open(), stored), true);
      assert.equal(await verifyStored(open(), { ...stored, sha256: sha256(Buffer.from('other')) }), false);
    }
  });

  test(title('a large object of unknown length comes back byte for byte'), async () => {
    const content = randomBytes(12 * 1024 * 1024 + 7);
    const stored = await open().put('large/one', chunked(content, 64 * 1024), { mediaType: 'application/epub+zip' });
    assert.equal(stored.sha256, sha256(content));
    assert.equal(await verifyStored(open(), stored), true);
  });

  test(title('a range answers exactly its bytes and the size of the whole'), async () => {
    const content = randomBytes(100_000);
    await open().put('range/one', chunked(content, 9_000));
    for (const [start, end] of [
      [0, 0],
      [0, 99_999],
      [99_999, 99_999],
      [5_000, 70_000],
      [99_000, 500_000],
    ] as const) {
      const found = await open().get('range/one', { range: { start, end } });
      assert.equal(found.sizeBytes, 100_000);
      assert.ok(content.subarray(start, end + 1).equals(await buffer(found.body)));
    }
    for (const [start, end] of [
      [100_000, 100_001],
      [5, 4],
      [-1, 5],
      [0.5, 2],
    ] as const) {
      await assert.rejects(open().get('range/one', { range: { start, end } }), RangeError);
    }
  });

  test(title('an absent object is StorageMissing, and deleting is idempotent'), async () => {
    await assert.rejects(open().get('absent/one'), StorageMissing);
    assert.equal(await open().head('absent/one'), undefined);
    await open().put('absent/two', chunked(Buffer.from('here'), 4));
    await open().delete('absent/two');
    await open().delete('absent/two');
    await open().delete('absent/never_there');
    assert.equal(await open().head('absent/two'), undefined);
    await assert.rejects(open().get('absent/two'), StorageMissing);
  });

  test(title('a body that fails leaves nothing, and the older object stays'), async () => {
    const fault = new AppError('PAYLOAD_TOO_LARGE', 'too large');
    for (const sizeBytes of [10, 13 * 1024 * 1024]) {
      await assert.rejects(open().put('broken/new', failing(sizeBytes, fault)), (error) => error === fault);
      assert.equal(await open().head('broken/new'), undefined);
    }
    const older = await open().put('broken/old', chunked(Buffer.from('the first edition'), 5));
    await assert.rejects(open().put('broken/old', failing(100, fault)), (error) => error === fault);
    assert.equal(await verifyStored(open(), older), true);
  });

  test(title('a put replaces an older object at once'), async () => {
    await open().put('again/one', chunked(Buffer.from('first'), 5));
    const second = await open().put('again/one', chunked(Buffer.from('second edition'), 5));
    assert.deepEqual(await open().head('again/one'), { sizeBytes: second.sizeBytes });
    assert.equal(await verifyStored(open(), second), true);
  });

  test(title('an abort ends a put whose body never comes, and leaves nothing'), { timeout: 10_000 }, async () => {
    const controller = new AbortController();
    const reason = new Error('the client has gone');
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield randomBytes(6 * 1024 * 1024);
      setImmediate(() => controller.abort(reason));
      await new Promise(() => {});
    }
    const put = open().put('abort/one', stuck(), { signal: controller.signal });
    await assert.rejects(put, (error) => error === reason);
    assert.equal(await open().head('abort/one'), undefined);
    await assert.rejects(open().get('abort/one', { signal: controller.signal }), (error) => error === reason);
  });

  test(title('an abort ends a get'), { timeout: 10_000 }, async () => {
    await open().put('abort/two', chunked(randomBytes(8 * 1024 * 1024), 65_536));
    const controller = new AbortController();
    const { body } = await open().get('abort/two', { signal: controller.signal });
    await assert.rejects(
      async () => {
        for await (const _ of body) controller.abort();
      },
      { name: 'AbortError' },
    );
  });

  test(title('a list names every object'), async () => {
    const keys = ['list/a', 'list/a/b', 'list/ab', 'list-a', 'list/b/c_1', 'other/list/a'];
    for (const key of keys) await open().put(key, chunked(Buffer.from(key), 100));
    const listed = await Array.fromAsync(open().list());
    assert.deepEqual(listed.filter((key) => key.includes('list')).sort(), keys.toSorted());
  });

  test(title('an ill-formed key is refused before anything is touched'), async () => {
    const keys = ['', '/', '/a', 'a/', 'a//b', '..', '../a', 'a/../b', 'a.b', 'A', 'a b', 'ä', 'a\0', 'a\n', 'a\\b'];
    for (const key of [...keys, 'a'.repeat(241)]) {
      await assert.rejects(open().put(key, chunked(Buffer.from('x'), 1)), TypeError, JSON.stringify(key));
      await assert.rejects(open().get(key), TypeError);
      await assert.rejects(open().head(key), TypeError);
      await assert.rejects(open().delete(key), TypeError);
    }
  });

  test(title('forty puts at once to ten keys leave ten whole objects'), async () => {
    const contents = new Set<string>();
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const stored = await open().put(`race/${index % 10}`, chunked(randomBytes(50_000), 7_001));
        contents.add(stored.sha256);
      }),
    );
    for (let index = 0; index < 10; index += 1) {
      const { body } = await open().get(`race/${index}`);
      assert.ok(contents.has(sha256(await buffer(body))));
    }
  });

  test(title('a working place passes its check'), async () => {
    await open().check();
  });
}

export async function* chunked(content: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
}

async function* failing(sizeBytes: number, fault: Error): AsyncGenerator<Uint8Array> {
  yield* chunked(randomBytes(sizeBytes), 256 * 1024);
  throw fault;
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
