/**
 * Reading and writing a 20 MB plain text, against the bare cost of decoding the same bytes in the same run.
 * `node bench/documents-text.ts`; each row runs in a process of its own, so that peak memory is its own. Limit: memory
 * grows by no more than 6 times the text.
 */
import { spawnSync } from 'node:child_process';
import { blocksOf } from '../src/documents/document.ts';
import { readTxt } from '../src/documents/txt/read-txt.ts';
import { writeTxt } from '../src/documents/txt/write-txt.ts';
import { smallNursery } from '../src/sandbox/process-command.ts';
import { addRow } from './rows.ts';

const sizeBytes = 20 * 1024 * 1024;
const scenes: Readonly<Record<string, string>> = {
  chinese:
    '　　雨已经下了三天，一直没有停。“你听见了吗？”她轻声问，可是没有人回答，楼梯上只有风。\n　　老人笑了笑，把灯吹灭了。\n\n',
  english:
    'The rain had not stopped for three days, and nobody had come to the\nlighthouse since the autumn. “He will come back,” she said quietly,\nand her grandfather smiled.\n\n',
};

const [, , mode, language, count] = process.argv;
if (mode === undefined) {
  for (const scene of Object.keys(scenes)) {
    let blocks = '0';
    for (const row of ['decode', 'read', 'write']) {
      // The flags of the sandbox, where the service does this work.
      const args = ['--expose-gc', ...smallNursery, import.meta.filename, row, scene, blocks];
      const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
      process.stdout.write(child.stdout || child.stderr);
      blocks = /(\d+) blocks/.exec(child.stdout)?.[1] ?? blocks;
    }
  }
} else measure(mode, language as string, Number(count));

function measure(row: string, scene: string, translationCount: number): void {
  const bytes = novel(scenes[scene] as string);
  globalThis.gc?.();
  const before = process.resourceUsage().maxRSS * 1024;
  let seconds = 0;
  let work = '';
  if (row === 'write') {
    // What comes from the other process counts as memory, not as time.
    const translations = translationsOf(scenes[scene] as string, translationCount);
    const start = performance.now();
    writeTxt(bytes, {}, translations, { sourceLang: 'zh-Hans', targetLang: 'en', variant: 'translated' });
    seconds = (performance.now() - start) / 1000;
    work = `${translationCount} translations`;
  } else {
    const start = performance.now();
    if (row === 'read') work = `${blocksOf(readTxt(bytes).document).length} blocks`;
    else work = `${new TextDecoder('utf-8', { fatal: true }).decode(bytes).length} units`;
    seconds = (performance.now() - start) / 1000;
  }
  const grown = process.resourceUsage().maxRSS * 1024 - before;
  const speed = (sizeBytes / 1e6 / seconds).toFixed(0);
  if (row !== 'decode') {
    addRow({
      name: `TXT, 20 MB of ${scene}, ${row}`,
      value: sizeBytes / 1e6 / seconds,
      unit: 'MB/s',
      limit: 'bare decoding reaches hundreds of MB/s, same run',
    });
    addRow({
      name: `TXT, 20 MB of ${scene}, ${row}: memory`,
      value: grown / sizeBytes,
      unit: '× the text',
      goal: { atMost: 6 },
      limit: 'growth of the peak from before to after, in a process of its own',
    });
  }
  console.log(
    `${scene} ${row}: ${seconds.toFixed(2)} s, ${speed} MB/s, memory +${(grown / sizeBytes).toFixed(1)} × the text (${work})`,
  );
}

/** As many translations as there are blocks, together as long as the text, as the service hands them over. */
function translationsOf(scene: string, count: number): Map<string, string> {
  const utf8 = Buffer.alloc(sizeBytes, scene.replaceAll('\n', ' '));
  const texts = new Map<string, string>();
  let start = 0;
  for (let at = 0, i = 1; i <= count; i++) {
    at += Math.floor((sizeBytes - at) / (count + 1 - i));
    // Never inside a character.
    while (at < sizeBytes && ((utf8[at] as number) & 0xc0) === 0x80) at++;
    texts.set(`b${i}`, utf8.toString('utf8', start, at));
    start = at;
  }
  return texts;
}

function novel(scene: string): Uint8Array {
  const chapter = Buffer.from(`第一章 雾\n\n${scene.repeat(100)}`);
  const bytes = Buffer.alloc(sizeBytes, 0x0a);
  for (let at = 0; at + chapter.length <= sizeBytes; at += chapter.length) chapter.copy(bytes, at);
  return bytes;
}
