import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { chunked, storageConformance } from './storage-conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'toledo-storage-'));
let storage: FileStorage;
before(async () => {
  storage = await FileStorage.open(root);
});
after(() => rmSync(root, { recursive: true, force: true }));

storageConformance('file storage', () => storage);

test('file storage: no temporary file is left after everything above', () => {
  assert.deepEqual(readdirSync(join(root, 'incoming')), []);
});

test('file storage: every stored path is made of safe characters below two sharding digits', () => {
  const paths = readdirSync(join(root, 'objects'), { recursive: true, encoding: 'utf8' });
  assert.ok(paths.length > 10);
  for (const path of paths) assert.match(path, /^[0-9a-f]{2}(\/[a-z0-9._-]+)?$/);
});

test('file storage: leftovers of crashed writes are swept when old, and a write in progress is not', async () => {
  const old = join(root, 'incoming', 'crashed');
  writeFileSync(old, 'half a novel');
  utimesSync(old, new Date(), new Date(Date.now() - 2 * 60 * 60_000));
  writeFileSync(join(root, 'incoming', 'living'), 'being written by another process');
  await FileStorage.open(root);
  assert.deepEqual(readdirSync(join(root, 'incoming')), ['living']);
  assert.equal(await storage.sweepLeftovers(new Date(Date.now() + 61 * 60_000)), 1);
});

test('file storage: a symbolic link in the place of an object is not followed', async () => {
  const stored = await storage.put('link/one', chunked(Buffer.from('mine'), 4));
  const path = readdirSync(join(root, 'objects'), { recursive: true, encoding: 'utf8' }).find((found) =>
    found.endsWith('/link.one'),
  );
  rmSync(join(root, 'objects', path ?? ''));
  symlinkSync('/etc/passwd', join(root, 'objects', path ?? ''));
  await assert.rejects(storage.get(stored.key), { name: 'AppError', code: 'UNAVAILABLE' });
});

test('file storage: a full disk is UNAVAILABLE, leaves nothing, and works again once there is space', async (context) => {
  const disk = mkdtempSync(join(tmpdir(), 'toledo-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    rmSync(disk, { recursive: true });
    return context.diagnostic('not allowed to mount a small disk here; the proof needs root');
  }
  try {
    const small = await FileStorage.open(disk);
    await small.put('kept', chunked(randomBytes(1_000_000), 65_536));
    await assert.rejects(small.put('large', chunked(randomBytes(5_000_000), 65_536)), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'UNAVAILABLE');
      assert.equal(error.retryAfterSeconds, 60);
      return true;
    });
    assert.deepEqual(readdirSync(join(disk, 'incoming')), []);
    assert.equal(await small.head('large'), undefined);
    await small.delete('kept');
    await small.put('large', chunked(randomBytes(1_500_000), 65_536));
  } finally {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  }
});
