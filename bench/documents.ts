/**
 * Speed and memory of reading and writing documents, against the bare cost of unpacking and decoding the same bytes
 * in the same run. Limit: the memory used may not grow by more than 6 times the text; it is the difference between a
 * book and one four times as long, each in a process of its own, so that the runtime itself is not counted.
 * Run: `node_modules/.bin/node bench/documents.ts`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { openArchive } from '../src/documents/archive/archive.ts';
import { blocksOf } from '../src/documents/document.ts';
import { readDocument, writeDocument } from '../test/documents/read-and-write.ts';
import { packEpub } from './pack-epub.ts';
import { addRow } from './rows.ts';

interface Row {
  name: string;
  textBytes: number;
  make: (textBytes: number) => Uint8Array;
  /** The cheapest thing that must be done with these bytes. */
  bare: (bytes: Uint8Array) => void;
}

const rows: Record<string, Row> = {
  epub: { name: 'EPUB, 3 MB of text', textBytes: 3_000_000, make: makeEpub, bare: unpackAll },
};

const memoryLimit = 6;
const works = ['bare', 'read', 'write'] as const;
const [rowName, work, file] = process.argv.slice(2);
if (rowName === undefined) report();
else console.log(JSON.stringify(measure(rows[rowName] as Row, work as (typeof works)[number], file ?? '')));

interface Measured {
  ms: number;
  peakBytes: number;
}

function report(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-documents-'));
  for (const [key, row] of Object.entries(rows)) {
    const [small, large] = [row.textBytes, row.textBytes * 4].map((size) => {
      const bytes = row.make(size);
      const path = join(folder, `${key}-${size}`);
      writeFileSync(path, bytes);
      const blocks = blocksOf(readDocument(bytes).document);
      // As another process hands them over, without the document that they were made from.
      const texts = new Map(blocks.map((block) => [block.id, `${block.text} ·`]));
      writeFileSync(translationsOf(path), serialize(texts));
      return { path, textBytes: blocks.reduce((sum, block) => sum + Buffer.byteLength(block.text), 0) };
    });
    if (small === undefined || large === undefined) continue;
    let bare = 0;
    for (const kind of works) {
      const { ms, peakBytes } = inProcess(key, kind, small.path, small.textBytes);
      const longer = inProcess(key, kind, large.path, large.textBytes);
      const growth = (longer.peakBytes - peakBytes) / (large.textBytes - small.textBytes);
      const columns = [
        row.name.padEnd(20),
        kind.padEnd(5),
        `${ms.toFixed(0)} ms`.padStart(8),
        `${(small.textBytes / 1e6 / (ms / 1000)).toFixed(1)} MB/s`.padStart(11),
        `peak ${(peakBytes / 1e6).toFixed(0)} MB`.padStart(12),
        `grows by ${growth.toFixed(1)} x the text`,
      ];
      console.log(columns.join('  '));
      const bareMs = kind === 'bare' ? ms : bare;
      if (kind === 'bare') bare = ms;
      else {
        const speed = small.textBytes / 1e6 / (ms / 1000);
        addRow({
          name: `${row.name}, ${kind}`,
          value: speed,
          unit: 'MB/s',
          limit: `unpacking and decoding alone took ${((bareMs / ms) * 100).toFixed(0)} % of the time, same run`,
        });
        addRow({
          name: `${row.name}, ${kind}: memory`,
          value: growth,
          unit: '× the text',
          goal: { atMost: memoryLimit },
          limit: 'growth of the peak from a book to one four times as long',
        });
      }
      if (kind !== 'bare' && growth > memoryLimit) process.exitCode = 1;
    }
  }
  rmSync(folder, { recursive: true });
  if (process.exitCode === 1) console.error(`Memory grows by more than ${memoryLimit} times the text.`);
}

function inProcess(key: string, kind: string, path: string, textBytes: number): Measured {
  // Garbage that waits for its collection is not memory the work needs: the heap is capped at 32 MB and 4 x the text.
  const heapMegabytes = 32 + Math.ceil((4 * textBytes) / 1e6);
  const flags = ['--max-semi-space-size=4', `--max-old-space-size=${heapMegabytes}`];
  const args = [...flags, import.meta.filename, key, kind, path];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}

/** Best time of three; writing includes what it needs, reading the document and holding its translations. */
function measure(row: Row, kind: (typeof works)[number], path: string): Measured {
  const bytes = readFileSync(path);
  const options = { sourceLang: 'en', targetLang: 'fr', variant: 'translated' } as const;
  const translations = kind === 'write' ? deserialize(readFileSync(translationsOf(path))) : undefined;
  let ms = Number.POSITIVE_INFINITY;
  let peakBytes = 0;
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    if (translations !== undefined) writeDocument(bytes, {}, translations, options);
    else if (kind === 'read') readDocument(bytes);
    else row.bare(bytes);
    ms = Math.min(ms, performance.now() - started);
    // A task does its work once in its process; the repetitions are for the time only.
    peakBytes ||= process.resourceUsage().maxRSS * 1024;
  }
  return { ms, peakBytes };
}

function translationsOf(path: string): string {
  return `${path}.translations`;
}

function unpackAll(bytes: Uint8Array): void {
  const archive = openArchive(bytes);
  const decoder = new TextDecoder();
  for (const entry of archive.entries) decoder.decode(archive.read(entry.name));
}

/** A novel of the given size in chapters of 15,000 characters, with the inline markup a novel has. */
function makeEpub(textBytes: number): Uint8Array {
  const words = 'the harbour lay still under a low moon and nobody came to ask for the lamp that burned there'.split(
    ' ',
  );
  let state = 7;
  const next = (below: number) => {
    state = (state * 48271) % 0x7fffffff;
    return state % below;
  };
  const sentence = () => `${Array.from({ length: 8 + next(12) }, () => words[next(words.length)]).join(' ')}. `;
  const paragraph = () => {
    const text = Array.from({ length: 2 + next(6) }, sentence).join('');
    return next(3) === 0 ? `<p>${text}<em>${sentence()}</em>${sentence()}</p>` : `<p>${text}</p>`;
  };
  const chapters: string[] = [];
  for (let written = 0; written < textBytes; written += 15_000) {
    const parts: string[] = [];
    for (let size = 0; size < 15_000; ) {
      const text = paragraph();
      parts.push(text);
      size += text.length;
    }
    chapters.push(`<h1>Chapter ${chapters.length + 1}</h1>\n${parts.join('\n')}`);
  }
  return packEpub(chapters);
}
