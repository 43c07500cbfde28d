/**
 * Reading and writing a 20 MB plain text, against the bare cost of decoding the same bytes in the same run.
 * `node bench/documents-text.ts`; each row runs in a process of its own, so that peak memory is its own. Limit: memory
 * grows by no more than 6 times the text.
 */
import { spawnSync } from 'node:child_process';
import { blocksOf } from '../src/documents/document.ts';
import { readTxt } from '../src/documents/txt/read-txt.ts';
import { writeTxt } from '../src/documents/txt/write-txt.ts';

const sizeBytes = 20 * 1024 * 1024;
const scenes: Readonly<Record<string, string>> = {
  chinese:
    '　　雨已经下了三天，一直没有停。“你听见了吗？”她轻声问，可是没有人回答，楼梯上只有风。\n　　老人笑了笑，把灯吹灭了。\n\n',
  english:
    'The rain had not stopped for three days, and nobody had come to the\nlighthouse since the autumn. “He will come back,” she said quietly,\nand her grandfather smiled.\n\n',
};

const [, , mode, language] = process.argv;
if (mode === undefined) {
  for (const scene of Object.keys(scenes)) {
    for (const row of ['decode', 'read', 'write']) {
      const child = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, row, scene], {
        encoding: 'utf8',
      });
      process.stdout.write(child.stdout || child.stderr);
    }
  }
} else measure(mode, language as string);

function measure(row: string, scene: string): void {
  const bytes = novel(scenes[scene] as string);
  globalThis.gc?.();
  const before = process.resourceUsage().maxRSS * 1024;
  const start = performance.now();
  const text = row === 'decode' ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : undefined;
  let blocks = 0;
  if (row !== 'decode') {
    const { document } = readTxt(bytes);
    const all = blocksOf(document);
    blocks = all.length;
    if (row === 'write') {
      const translations = new Map(all.map((block) => [block.id, `${block.text}.`]));
      writeTxt(bytes, document, translations, { sourceLang: 'zh-Hans', targetLang: 'en', variant: 'translated' });
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const grown = process.resourceUsage().maxRSS * 1024 - before;
  const speed = (sizeBytes / 1e6 / seconds).toFixed(0);
  const work = text === undefined ? `${blocks} blocks` : `${text.length} units`;
  console.log(
    `${scene} ${row}: ${seconds.toFixed(2)} s, ${speed} MB/s, memory +${(grown / sizeBytes).toFixed(1)} × the text (${work})`,
  );
}

function novel(scene: string): Uint8Array {
  const chapter = Buffer.from(`第一章 雾\n\n${scene.repeat(100)}`);
  const bytes = Buffer.alloc(sizeBytes, 0x0a);
  for (let at = 0; at + chapter.length <= sizeBytes; at += chapter.length) chapter.copy(bytes, at);
  return bytes;
}
