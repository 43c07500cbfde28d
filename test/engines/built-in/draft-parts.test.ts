import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readHeading } from '../../../src/engines/built-in/chapter-headings.ts';
import { createRepetitionGuard, paddedLength } from '../../../src/engines/built-in/decoding.ts';
import {
  asPart,
  asSpoken,
  closeSpeech,
  joinSpoken,
  lostSentences,
} from '../../../src/engines/built-in/lost-sentences.ts';
import {
  draftModelFolder,
  draftModelNames,
  readManifest,
  verifyModel,
} from '../../../src/engines/built-in/model-manifest.ts';
import { toModelTags } from '../../../src/engines/built-in/model-tags.ts';
import {
  missingTerms,
  settleSpelling,
  substituteTerm,
  withoutDoubledNames,
} from '../../../src/engines/built-in/name-repairs.ts';
import { normalizeSource } from '../../../src/engines/built-in/normalize.ts';
import { cutPieces, maxPieceTokens } from '../../../src/engines/built-in/pieces.ts';
import { findTermPlaces } from '../../../src/engines/built-in/term-places.ts';
import { createTokenizer } from '../../../src/engines/built-in/tokenizer.ts';
import { planBatches } from '../../../src/engines/built-in/translate-blocks.ts';
import { annotateTerms, maskTerms } from '../../../src/engines/built-in/ways.ts';
import { englishTitle, typesetEnglish } from '../../../src/language/typography/english.ts';

const vocabulary = readFileSync(`${draftModelFolder('draft-to-en')}/spm.vocab`, 'utf8');
const tokenizer = createTokenizer(vocabulary);
const pieces = vocabulary.split('\n').map((line) => line.slice(0, line.lastIndexOf('\t')));
const scores = vocabulary.split('\n').map((line) => Number(line.slice(line.lastIndexOf('\t') + 1)));
const count = (text: string): number => tokenizer.encode(normalizeSource(text)).length;

/** The rules of the vocabulary, tried in full: of all ways to cut a word into pieces the most probable one. */
function bestCut(word: string): { score: number; cuts: string[] } {
  const known = new Map(pieces.map((piece, i) => [piece, i]));
  const best: { score: number; cut: string[] }[] = [{ score: 0, cut: [] }];
  for (let end = 1; end <= word.length; end++) {
    for (let start = 0; start < end; start++) {
      const before = best[start];
      const token = known.get(word.slice(start, end));
      if (before === undefined || token === undefined || /^<.+>$/.test(word.slice(start, end))) continue;
      const score = before.score + (scores[token] ?? 0);
      if (best[end] === undefined || score > (best[end]?.score ?? 0))
        best[end] = { score, cut: [...before.cut, word.slice(start, end)] };
    }
  }
  const found = best[word.length];
  return { score: found?.score ?? Number.NEGATIVE_INFINITY, cuts: found?.cut ?? [] };
}

test('words are cut into the most probable pieces of the vocabulary', () => {
  const words =
    'demoiselle moulin brumes répondit Verwandlung unabhängigkeit quisiera cipreses раздражение невозможно ragazzo coração';
  for (const word of words.split(' ')) {
    const cut = tokenizer.encode(word).map((token) => pieces[token] ?? '');
    const best = bestCut(`▁${word}`);
    const own = tokenizer.encode(word).reduce((sum, token) => sum + (scores[token] ?? 0), 0);
    assert.equal(cut.join(''), `▁${word}`);
    assert.ok(Math.abs(own - best.score) < 1e-6, `${word}: ${cut.join('|')} is not ${best.cuts.join('|')}`);
  }
});

test('text comes back from its tokens unchanged: accents, Cyrillic, emoji, tags, glossary marks', () => {
  for (const text of [
    "Il avait plu toute la nuit, et l'eau montait jusqu'aux marches.",
    '"¿Y esta?" dijo él. — Esa no abre nada.',
    'Все счастливые семьи похожи друг на друга.',
    'Une fête 🎉 à 12 345 € — 雨が降る ☂',
    '<1> Ah </1> ! Dantès ⟦ Dantès ⟧ <x2/> dit-il.',
  ])
    assert.equal(tokenizer.decode(tokenizer.encode(text)).replace(/ +/g, ' '), text.replace(/ +/g, ' '), text);
  assert.deepEqual(tokenizer.encode('<1>').slice(-1), [pieces.indexOf('<1>')]);
});

test('characters outside the vocabulary become their bytes and no other token', () => {
  const bytes = tokenizer
    .encode('龘')
    .map((token) => pieces[token] ?? '')
    .filter((piece) => piece !== '▁');
  assert.deepEqual(
    bytes,
    [...Buffer.from('龘')].map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
});

test('every file of both models is what its manifest says', async () => {
  for (const name of draftModelNames) {
    const folder = draftModelFolder(name);
    const manifest = readManifest(folder);
    assert.ok(manifest);
    await verifyModel(folder, manifest);
    const hash = createHash('sha256')
      .update(readFileSync(`${folder}/decoder.onnx`))
      .digest('hex');
    assert.equal(manifest.files['decoder.onnx']?.sha256, hash);
    const damaged = { ...manifest, files: { 'spm.vocab': { bytes: 1, sha256: 'no' } } };
    await assert.rejects(verifyModel(folder, damaged), /damaged/);
  }
});

test('a batch holds sentences of one length with padding, each sentence once, within its size', () => {
  const lengths = [40, 7, 90, 7, 180, 33, 33, 60, ...new Array<number>(200).fill(12)];
  for (const beam of [1, 4]) {
    const batches = planBatches(lengths, beam);
    assert.deepEqual(
      batches.flat().sort((a, b) => a - b),
      [...lengths.keys()],
    );
    for (const batch of batches) {
      const padded = new Set(batch.map((i) => paddedLength(lengths[i] ?? 0)));
      assert.equal(padded.size, 1);
      assert.ok(batch.length === 1 || batch.length * Math.max(...padded) * beam <= 1_024);
    }
  }
});

test('a short paragraph stays whole, a long one becomes groups of sentences, verse goes line by line', () => {
  const short = '— Il y a quelqu’un ? demanda-t-elle. Personne ne répondit.';
  assert.deepEqual(
    cutPieces(short, 'fr', count).map(({ text }) => text),
    [short],
  );
  const long = 'Il avait plu toute la nuit, et l’eau de la rivière montait. '.repeat(12).trim();
  const parts = cutPieces(long, 'fr', count);
  assert.ok(parts.length > 1 && parts.every(({ text }) => count(text) <= 100));
  assert.equal(parts.map(({ text, after }) => text + after).join(''), long);
  const verse = 'Sous la roue,\n  sous la pierre ;\n\nqui le trouve perdra';
  assert.deepEqual(
    cutPieces(verse, 'fr', count).map(({ text }) => text),
    ['Sous la roue,', 'sous la pierre ;', 'qui le trouve perdra'],
  );
});

test('tags around a whole line or sentence stay in their places, outside of what the model reads', () => {
  const letter = '<1>Ma chère Camille,</1> <2>Quand tu liras ces mots, je serai loin.</2>\n<3>Ton frère</3><4/>';
  const parts = cutPieces(letter, 'fr', count);
  assert.deepEqual(
    parts.map(({ text }) => text).filter((text) => text !== ''),
    ['Ma chère Camille,', 'Quand tu liras ces mots, je serai loin.', 'Ton frère'],
  );
  assert.equal(parts.map(({ text, after }) => text + after).join(''), letter);
  const within = 'Une <1>montre</1> et <2>une clef</2>';
  assert.deepEqual(
    cutPieces(within, 'fr', count).map(({ text }) => text),
    [within],
  );
});

const english = { targetLang: 'en' };

test('a dropped sentence is noticed, a joined one is not', () => {
  const source =
    'Personne ne répondit. La roue ne tournait plus, et la poussière couvrait les sacs. Il y avait une lettre.';
  assert.equal(
    lostSentences(source, 'The wheel turned no more, and dust covered the bags. There was a letter.', english),
    1,
  );
  assert.equal(
    lostSentences(
      source,
      'No one answered. The wheel turned no more, and dust covered the bags; there was a letter.',
      english,
    ),
    0,
  );
  assert.equal(
    lostSentences('— Mon frère est parti ! dit M. Morel.', '"My brother is gone!" said M. Morel.', english),
    0,
  );
  assert.equal(lostSentences(source, 'No one. No. A letter.', english), 1);
});

test('sentences of a line of dialogue are asked for one by one as speech, and become one speech again', () => {
  assert.deepEqual(asSpoken('— Non. Il rit.', ['— Non.', 'Il rit.']), ['— Non.', '— Il rit.']);
  assert.equal(joinSpoken(['"No."', '"He laughs," she said.', '"I know."']), '"No. He laughs," she said. "I know."');
  assert.equal(joinSpoken(['"I came.', '"It rained.', '"I left."']), '"I came. It rained. I left."');
  assert.equal(closeSpeech('— Non. Il rit.', '"No; he laughs.'), '"No; he laughs."');
  assert.equal(closeSpeech('Il rit.', '"No'), '"No');
});

test('parts of a sentence that were asked for one by one become one sentence', () => {
  assert.equal(asPart('la veuve du rajah', 'The widow of the rajah.', false, 'en'), 'the widow of the rajah');
  assert.equal(asPart('furent conduits.', 'They were led.', true, 'en'), 'they were led.');
  assert.equal(asPart('dit Anna,', 'Anna said,', false, 'en'), 'Anna said,');
  assert.equal(asPart('— Il rit.', '"He laughs."', false, 'en'), '"He laughs."');
  assert.equal(asPart('je sais', 'I know.', false, 'en'), 'I know');
});

test('titles of chapters are capitalised as in English books', () => {
  assert.equal(
    englishTitle('the clock of don Tomás and the mayor’s wife'),
    'The Clock of Don Tomás and the Mayor’s Wife',
  );
});

test('no piece is longer than the model reads, whatever the text', () => {
  for (const text of [
    'a'.repeat(5_000),
    'xyz '.repeat(2_000),
    '🎉'.repeat(800),
    'я'.repeat(3_000),
    '\u0001\u0002'.repeat(400),
  ])
    for (const piece of cutPieces(text, 'fr', count))
      assert.ok(count(piece.text) <= maxPieceTokens + 8, text.slice(0, 4));
});

test('tags travel as the model knows them and come back with their own numbers, or not at all', () => {
  const tagged = toModelTags('Une <12>montre</12> d’argent<13/>.');
  assert.equal(tagged?.text, 'Une <1> montre </1> d’argent <x2/> .');
  assert.equal(tagged?.restore('A silver <1> watch </1> <x2/> .'), 'A silver <12>watch</12><13/>.');
  assert.equal(tagged?.restore('A silver watch <x2/> .'), undefined);
  assert.equal(toModelTags('<1>half'), undefined);
  assert.equal(toModelTags(Array.from({ length: 10 }, (_, i) => `<${i + 1}/>`).join('x')), undefined);
});

test('terms are marked where they stand, in their inflected forms and with an elided article', () => {
  const russian = findTermPlaces('Он дал Обломову книгу.', [{ source: 'Обломов', target: 'Oblomov' }], 'ru');
  assert.equal(annotateTerms('Он дал Обломову книгу.', russian), 'Он дал Обломову ⟦ Oblomov ⟧ книгу.');
  const french = "La montre d'Antoine et la rose.";
  const terms = [
    { source: 'Antoine', target: 'Antoine' },
    { source: 'Rose', target: 'Rose' },
  ];
  const places = findTermPlaces(french, terms, 'fr');
  assert.equal(annotateTerms(french, places), "La montre d'Antoine ⟦ Antoine ⟧ et la rose.");
  const mask = maskTerms(french, places, 'en');
  assert.equal(mask.text, "La montre d'<x1/> et la rose.");
  assert.equal(mask.unmask('The watch of <x1/> and the rose.'), 'The watch of Antoine and the rose.');
});

test('a name that was missed is found missing, spelt right, and put in the place of its double', () => {
  assert.deepEqual(missingTerms("Dantes' hat and Morrel's", ['Dantès', 'Morrel', 'Leclère'], 'en'), ['Leclère']);
  assert.equal(
    settleSpelling('Dantes smiled at dantes.', ['Dantès'], 'Dantès sourit.', 'en'),
    'Dantès smiled at dantes.',
  );
  assert.equal(settleSpelling('Thomas left. Then he sang.', ['Tomás', 'Theno'], '', 'en'), 'Tomás left. Then he sang.');
  assert.equal(settleSpelling('Ramona met Ramon.', ['Ramon'], 'Ramona y Ramon', 'en'), 'Ramona met Ramon.');
  assert.equal(
    settleSpelling('Lucien Morels left the Morels.', ['Lucien Morel'], '', 'en'),
    'Lucien Morel left the Morels.',
  );
  assert.equal(substituteTerm('The Ozols were rich.', 'Oblonsky', [], 'en'), undefined);
  assert.equal(substituteTerm('Captain Leclerc died.', 'Leclère', [], 'en'), 'Captain Leclère died.');
});

test('a pronoun that the model puts beside a placeholder is taken out', () => {
  const mask = maskTerms('Tomás salió.', [{ start: 0, end: 5, target: 'Tomás' }], 'en');
  assert.equal(mask.unmask('When he <x1/> left, <x1/> he smiled.'), 'When Tomás left, Tomás smiled.');
});

test('a name that the model wrote twice in a row is written once', () => {
  const names = ['Tomás Arriaga', 'Lucía Beltrán', 'Lucía'];
  assert.equal(withoutDoubledNames('When Tom Tomás Arriaga Tomás Arriaga came', names), 'When Tomás Arriaga came');
  assert.equal(withoutDoubledNames('and Lucía Lucía Beltrán wept', names), 'and Lucía Beltrán wept');
  assert.equal(withoutDoubledNames('Señorita Lucía Beltrán', names), 'Señorita Lucía Beltrán');
  assert.equal(withoutDoubledNames('Lucía Beltrán Beltrán looked at it', names), 'Lucía Beltrán looked at it');
  assert.equal(
    withoutDoubledNames('Lucía Beltrán Mora and Lucía Beltrán', names),
    'Lucía Beltrán Mora and Lucía Beltrán',
  );
});

test('a name of which one part is misspelt is not doubled', () => {
  assert.equal(substituteTerm('said Thomas.', 'Tomás', [], 'en', 0.34), 'said Tomás.');
  assert.equal(substituteTerm('Lucien Morrel turned.', 'Lucien Morel', [], 'en'), 'Lucien Morel turned.');
});

test('the number of a chapter is read, and only its title is translated', () => {
  assert.deepEqual(readHeading('Chapitre premier. La lettre', 'fr', 'en', true), {
    lead: 'Chapter One. ',
    rest: 'La lettre',
  });
  assert.deepEqual(readHeading('CAPÍTULO XII', 'es', 'en', true), { lead: 'Chapter XII', rest: '' });
  assert.deepEqual(readHeading('Capítulo tercero. La maestra', 'es', 'en', true), {
    lead: 'Chapter Three. ',
    rest: 'La maestra',
  });
  assert.deepEqual(readHeading('Глава вторая', 'ru', 'en', true), { lead: 'Chapter Two', rest: '' });
  assert.equal(readHeading('Chapitre des accidents', 'fr', 'en', true), undefined);
});

test('a run of tokens never comes a third time', () => {
  const guard = createRepetitionGuard();
  for (const token of [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3]) guard.add(token);
  assert.equal(guard.forbids(4), true);
  assert.equal(guard.forbids(5), false);
});

test('English books have curly quotation marks, apostrophes and closed dashes', () => {
  assert.equal(
    typesetEnglish('"Ah!" he said — "it\'s you... \'Tis late," she said. ("No.")'),
    '“Ah!” he said—“it’s you… ’Tis late,” she said. (“No.”)',
  );
});

test('the process that holds a model goes behind a service that was itself started with a low priority', async () => {
  const program = fileURLToPath(new URL('../../../src/engines/built-in/draft-process.ts', import.meta.url));
  const child = spawn('nice', ['-n', '15', process.execPath, program, 'no-model'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  assert.equal(getPriority(child.pid), Math.min(getPriority() + 15, 19));
  child.disconnect();
});
