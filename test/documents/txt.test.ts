import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCoverage, blocksOf, countCharacters } from '../../src/documents/document.ts';
import { readTxt } from '../../src/documents/txt/read-txt.ts';
import { writeTxt } from '../../src/documents/txt/write-txt.ts';
import { headingShape } from '../../src/language/headings.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const read = (text: string, charLimit?: number) =>
  readTxt(Buffer.from(text), charLimit === undefined ? {} : { charLimit }).document;
const titles = (text: string) => read(text).sections.map((section) => section.title);
const options = { sourceLang: 'zh-Hans', targetLang: 'en', variant: 'translated' } as const;

test('chapter headings of four traditions are recognised', () => {
  const headings = [
    '第一章 少年',
    '第两百章',
    '第壹回 开篇',
    '第1234章 大结局！',
    '【第三章】',
    '正文 第五章 风起',
    '卷一',
    '第二卷 江湖',
    '序章',
    '楔子',
    '番外 海鸟',
    '番外二 旧事',
    '终章',
    '后记',
    '第一話　出会い',
    '第十二話',
    'プロローグ',
    'エピローグ',
    'あとがき',
    '幕間',
    '第三部',
    '제1장',
    '제12화 비밀',
    '3화',
    '프롤로그',
    '에필로그',
    '외전 2',
    '작가의 말',
    'Chapter IV',
    'CHAPTER ONE',
    'Chapter 12: The Storm',
    'Chapter the First',
    'Prologue',
    'EPILOGUE',
    'Part Two',
    'BOOK III',
    'Глава 1',
    'ГЛАВА ПЕРВАЯ',
    'Часть вторая',
    'Пролог',
    'Chapitre premier',
    'CHAPITRE XII',
    'Capítulo 3',
    'Kapitel 7 – Der Sturm',
    'Erstes Kapitel',
    'Rozdział III',
    'الفصل الأول',
    'Chương 5: Biển',
  ];
  for (const heading of headings)
    assert.ok(headingShape(heading) !== undefined && headingShape(heading)?.level !== 'numeral', heading);
});

test('sentences that begin like a heading stay sentences', () => {
  const sentences = [
    '第一章写得很好，他说。',
    '第一回见面的时候，她就笑了，后来再也没有笑过。',
    '第二天清晨，顾叔送来一封信。',
    '序章写完了。',
    'Chapter 3 was the hardest to write.',
    'Part of him wanted to stay',
    'Prologue to a war nobody wanted,',
    'Глава семьи молчал.',
    '제1장에서 그는 말했다.',
    'Book a room, he said',
    'Part one of his plan was ready,',
  ];
  for (const sentence of sentences) assert.ok(headingShape(sentence) === undefined, sentence);
});

test('chapters, front matter, contents and scene breaks of a Chinese novel are told apart', () => {
  const document = readTxt(fixture('zh.txt')).document;
  assert.deepEqual(
    document.sections.map(({ title }) => title),
    [undefined, '序章', '第一章 灯塔', '第二章 回信', '第两百章 归航', '番外 海鸟'],
  );
  assert.equal(document.title, '雾港来信');
  assert.equal(document.author, '林远舟');
  const reasons = new Set(document.skipped.map(({ reason }) => reason));
  assert.deepEqual(reasons, new Set(['whitespace', 'separator', 'markup', 'repeats-heading']));
});

test('a contents line takes the translation of the heading it repeats', () => {
  const bytes = fixture('zh.txt');
  const { document } = readTxt(bytes);
  const translations = new Map(
    blocksOf(document).map((block) => [block.id, block.kind === 'heading' ? `Heading ${block.id}` : 'x']),
  );
  const lines = Buffer.from(writeTxt(bytes, {}, translations, options).bytes)
    .toString()
    .split('\n');
  const headings = lines.filter((line) => line.startsWith('Heading'));
  assert.equal(headings.length, 10);
  assert.deepEqual(headings.slice(0, 5), headings.slice(5));
});

test('numbers alone on a line are chapters when they run on, and not otherwise', () => {
  assert.deepEqual(titles('I\n\nIt rained.\n\nII\n\nIt rained on.\n\nIII\n\nIt stopped.\n'), ['I', 'II', 'III']);
  assert.deepEqual(titles('一\n\n雨。\n\n二\n\n雪。\n'), ['一', '二']);
  assert.deepEqual(titles('It was the year\n\n1984\n\nand nobody knew.\n\n7\n\nwas his number.\n'), [undefined]);
});

test('when unsure the book is one chapter and no text is lost', () => {
  const document = read('A story without headings.\nAnd a second line.\n');
  assert.equal(document.sections.length, 1);
  assert.equal(blocksOf(document).length, 2);
});

test('wrapped lines are one block, verse keeps its lines, hyphens and dashes are joined', () => {
  const blocks = blocksOf(readTxt(fixture('fr.txt')).document);
  assert.equal(blocks.filter(({ kind }) => kind === 'verse').length, 1);
  assert.ok(blocks.some(({ text }) => text.includes('bien-aimé') && text.includes('attendre--comme')));
  assert.ok(blocks.every(({ kind, text }) => kind === 'verse' || !text.includes('\n')));
});

test('Chinese lines wrapped at a column are joined without blanks', () => {
  const page =
    '　　他把最后一盏灯点亮的时候天已经黑透了而海面上没\n有一点声音只有远处的浪花一下一下地拍着礁石仿佛在\n数着什么人的脚步直到天亮才慢慢安静下来没有人知道\n那天夜里究竟发生了什么事情。\n　　第二天他又去了灯塔可是那里已经没有人了只有一封\n信放在桌上信封上写着他的名字字迹已经模糊不清了他\n站了很久才把它打开。\n';
  const blocks = blocksOf(read(page));
  assert.equal(blocks.length, 2);
  assert.ok(blocks[0]?.text.includes('海面上没有一点声音'));
});

test('Aozora markup is understood: ruby dropped, headings kept as such, missing characters put in', () => {
  const { document } = readTxt(fixture('ja.txt'));
  const text = blocksOf(document)
    .map((block) => block.text)
    .join('\n');
  assert.ok(document.hasRuby);
  assert.ok(text.includes('霧の深い夜だった。千尋は古い灯台守の部屋で'));
  assert.ok(text.includes('海は汰のように'));
  assert.ok(text.includes('千尋は約束を'));
  assert.ok(!/[《》｜]|［＃/.test(text));
  const readings = blocksOf(document).flatMap((block) => block.ruby ?? []);
  assert.ok(
    readings.length > 0 && readings.every(({ base, reading }) => text.includes(base) && !/[《》｜]/.test(reading)),
  );
  assert.deepEqual(
    document.sections.map(({ title }) => title),
    [undefined, '一', '二'],
  );
  const written = writeTxt(fixture('ja.txt'), {}, new Map([['b3', 'One']]), { ...options, sourceLang: 'ja' });
  assert.ok(Buffer.from(written.bytes).toString().includes('［＃８字下げ］One［＃「One」は中見出し］'));
});

test('every code point counts, CRLF as one, and a limit takes exactly that many', () => {
  const text = '第一章\r\n\r\n　　😀海。\r\n<1>灯</1>\r\n';
  const total = countCharacters(text.replaceAll('\r\n', '\n'));
  assert.equal(read(text).characters, total);
  for (let limit = 1; limit <= total; limit++) assert.equal(read(text, limit).characters, limit);
  assert.equal(read(text, total + 5).characters, total);
});

test('a limit never splits a grapheme cluster', () => {
  const family = '👨‍👩‍👧‍👦';
  assert.equal(read(`ab${family}cd`, 4).characters, 2);
  assert.equal(read(`ab${family}cd`, 9).characters, 9);
  assert.equal(read('cafe\u0301 au lait', 4).characters, 3);
});

test('coverage and an unchanged copy hold for any text and any limit', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '第一章 雾',
      '\n',
      '\r\n',
      '\r',
      '　　',
      ' ',
      '***',
      '《かな》',
      '漢字',
      '｜',
      '［＃改ページ］',
      '※',
      'Chapter 1',
      'II',
      '<1>',
      '<2/>',
      '。',
      '- ',
      'word ',
      'é',
      '👨‍👩‍👧',
      '\u0301',
      '\f',
      '\u001a',
      '底本：',
      '*** START OF THE PROJECT GUTENBERG',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (pieces, limit) => {
      const text = `終わり。${pieces.join('')}`.replaceAll('\0', '');
      const bytes = Buffer.from(text);
      if (!bytes.toString().includes('\ufffd')) {
        const whole = readTxt(bytes).document;
        assertCoverage(whole);
        assertCoverage(readTxt(bytes, { charLimit: limit }).document);
        const same = new Map(blocksOf(whole).map((block) => [block.id, block.text]));
        assert.equal(Buffer.from(writeTxt(bytes, {}, same, options).bytes).toString(), text);
      }
    }),
    { numRuns: 400 },
  );
});

test('reading is linear: four times the text takes about four times as long', () => {
  const chapter = `第一章 雾\n\n${'　　雨已经下了三天，一直没有停。“你听见了吗？”她问。\n'.repeat(400)}`;
  const time = (copies: number) => {
    const bytes = Buffer.from(chapter.repeat(copies));
    const start = process.cpuUsage();
    readTxt(bytes);
    return process.cpuUsage(start).user / 1000;
  };
  time(20);
  const small = Math.min(time(20), time(20), time(20));
  const large = Math.min(time(80), time(80), time(80));
  // Twice the linear share: processor time, of which memory that no longer fits the cache takes more.
  assert.ok(large < small * 8 + 20, `${small} ms, ${large} ms`);
});

test('long runs of one character do not slow any pattern down', () => {
  const start = process.cpuUsage();
  for (const text of [
    '《'.repeat(200_000),
    `あ漢${'｜'.repeat(200_000)}`,
    '［＃'.repeat(100_000),
    `ぁ［＃${'※［＃'.repeat(50_000)}`,
    '#'.repeat(200_000),
    `${'　'.repeat(200_000)}x`,
    `${'-'.repeat(70)}\n`.repeat(5000),
    'IVXLCDM'.repeat(30_000),
    `${'<1'.repeat(100_000)}>`,
  ])
    read(`ぁ。${text}`);
  // Without bounds in the patterns this took seven minutes. Processor time, because others may use the machine too.
  const usedMs = process.cpuUsage(start).user / 1000;
  assert.ok(usedMs < 10_000, `${usedMs} ms`);
});
