/** Text files in an unknown or wrong encoding, and hostile file names; the same ones for the same seed. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { texts } from './texts.ts';

type Random = (below: number) => number;

/** `below` at most 2^32. */
export function randomNumbers(seed: number): Random {
  let [bytes, at, round] = [Buffer.alloc(0), 0, 0];
  return (below) => {
    if (at + 4 > bytes.length) {
      bytes = createHash('sha256').update(`${seed} ${round++}`).digest();
      at = 0;
    }
    at += 4;
    return bytes.readUInt32LE(at - 4) % below;
  };
}

export function randomTextFile(seed: number): { bytes: Uint8Array; kind: string } {
  const random = randomNumbers(seed);
  const passages = Array.from({ length: 1 + random(6) }, () => texts[random(texts.length)]?.sent ?? '');
  const utf8 = Buffer.from(passages.join('\n\n'));
  const broken = (bytes: Buffer, faults: number): Buffer => {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < faults; i++) copy[random(copy.length)] = random(256);
    return copy;
  };
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random(256)));
  const kinds: [string, () => Buffer][] = [
    ['random bytes', () => noise(1 + random(4_000))],
    ['utf-8', () => utf8],
    ['utf-8 broken', () => broken(utf8, 1 + random(20))],
    ['utf-8 cut', () => utf8.subarray(0, 1 + random(utf8.length))],
    ['utf-16 le', () => Buffer.from(`\ufeff${utf8}`, 'utf16le')],
    ['utf-16 be', () => Buffer.from(`\ufeff${utf8}`, 'utf16le').swap16()],
    ['utf-16 broken', () => broken(Buffer.from(`\ufeff${utf8}`, 'utf16le'), 1 + random(20))],
    ['utf-16 odd', () => Buffer.from(`\ufeff${utf8}`, 'utf16le').subarray(0, -1)],
    ['latin-1', () => Buffer.from(passages.join('\n'), 'latin1')],
    ['two encodings', () => Buffer.concat([utf8, Buffer.from('été où ça naïf', 'latin1'), utf8])],
    ['nul bytes', () => Buffer.concat([utf8, Buffer.alloc(1 + random(50)), utf8])],
    ['control characters', () => Buffer.from(Array.from({ length: 200 }, () => random(32)))],
    ['surrogates in utf-8', () => Buffer.concat([utf8, Buffer.from([0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80])])],
    ['overlong utf-8', () => Buffer.concat([utf8, Buffer.from([0xc0, 0xaf, 0xe0, 0x80, 0xaf])])],
    ['a mark and nothing', () => Buffer.from([0xef, 0xbb, 0xbf])],
    ['high bytes', () => Buffer.from(Array.from({ length: 1 + random(2_000) }, () => 0x80 + random(128)))],
  ];
  const [kind, make] = kinds[seed % kinds.length] as (typeof kinds)[number];
  return { bytes: new Uint8Array(make()), kind };
}

const pieces = [
  ...['../', '..\\', '/etc/passwd', 'C:\\', '\\\\host\\share\\', '%2e%2e%2f', '%00', '%0d%0a', '%22', '.', '..', ' '],
  ...['\u202e', '\u2028', '\ufeff', '🙂', 'e\u0301', '日本語', 'ﷺ', 'İ', 'CON', 'nul.txt', '.htaccess', '~', '$(id)'],
  ...[
    '`id`',
    '<script>',
    "'; drop table tasks;--",
    'filename*=UTF-8',
    'Set-Cookie: a=b',
    ';',
    '=',
    '*',
    '|',
    '?',
    '\t',
  ],
  ...['x'.repeat(300), '語'.repeat(120), '.epub', '.txt', 'novel', '{{7*7}}', '\u0000'.replace('\0', '␀'), '\x7f'],
];

/** As it stands between the quotes of a part's header: quotes and line breaks in a form that a client would send. */
export function hostileFileName(seed: number): string {
  const random = randomNumbers(seed + 1_000_000);
  return Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)] ?? '').join('');
}

/** A strict reader of RFC 6266 and 8187; what does not parse fails. */
export function parseContentDisposition(header: string): string {
  const found =
    /^attachment; filename="((?:[^"\\]|\\.)*)"(?:; filename\*=UTF-8''((?:%[0-9A-F]{2}|[!#$&+.^_`|~0-9A-Za-z-])+))?$/.exec(
      header,
    );
  assert.ok(found && /^[\x20-\x7e]+$/.test(header), header);
  return found[2] === undefined ? (found[1] ?? '') : decodeURIComponent(found[2]);
}
