import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { toModelTags, withoutModelTags } from '../../../src/engines/built-in/model-tags.ts';
import {
  missingTerms,
  replaceStranger,
  separateNames,
  settleSpelling,
  withoutDoubledNames,
  withoutHalfTerms,
} from '../../../src/engines/built-in/name-repairs.ts';
import { findTermPlaces } from '../../../src/engines/built-in/term-places.ts';
import { maskTerms } from '../../../src/engines/built-in/ways.ts';
import { appliedIn, targetText } from '../../../src/glossary/term-applied.ts';
import { typesetEnglish } from '../../../src/language/typography/english.ts';

const names = ['If', 'Dantès', 'Monte-Cristo', "d'Artagnan", 'Allées de Meilhan', 'Lucía Beltrán', 'Anna'];

/** Sound English around a name. A gap that the model may write with any number of blanks is a middle dot or a ring. */
const contexts = [
  // "·": one blank belongs here, "∘": none.
  ['the castle of·', '·was dark.'],
  ['', "∘'s hat"],
  ['', '∘, he said'],
  ['Then·', '∘.'],
  ['He saw·', '·(once)'],
  ['(∘', '∘) and'],
  ['“∘', '∘!” he said'],
  ['he said, “yes,”·', '·wept'],
  ['She left;·', '∘: then silence'],
  ['7·', '·7'],
  ['“No?”·', '∘…'],
  ['said "it"·', '·once'],
];

function filled(template: string, gap: string): string {
  return template.replaceAll('·', gap).replaceAll('∘', gap);
}

function sound(template: string): string {
  return template.replaceAll('·', ' ').replaceAll('∘', '');
}

test('however the model sets the blanks around a placeholder, exactly the right ones stand around the name', () => {
  for (const target of names)
    for (const [left = '', right = ''] of contexts)
      for (const before of ['', ' ', '  '])
        for (const after of ['', ' ', '  ']) {
          const mask = maskTerms('x', [{ start: 0, end: 1, target }], 'en');
          const answer = `${filled(left, before)}<x1/>${filled(right, after)}`;
          assert.equal(mask.unmask(answer).trim(), sound(left) + target + sound(right), `${target}: ${answer}`);
        }
});

test('two names in a row keep one blank between them; hyphens, dashes and quotation marks stay as they are', () => {
  const places = [
    { start: 0, end: 1, target: 'Anna' },
    { start: 2, end: 3, target: 'Levin' },
  ];
  const mask = maskTerms('x y', places, 'en');
  for (const gap of ['', ' ', '  ']) assert.equal(mask.unmask(`<x1/>${gap}<x2/>`), 'Anna Levin');
  assert.equal(
    mask.unmask('Saint-<x1/>—<x2/>—"<x1/>" pre-<x2/>-like the <x1/>s'),
    'Saint-Anna—Levin—"Anna" pre-Levin-like the Annas',
  );
  // What is kept in a script without blanks has none around a name.
  assert.equal(mask.unmask('雨<x1/>雨 で <x2/>。'), '雨Anna雨 で Levin。');
});

test('a name is found behind every elision and hyphen, and the elision stays outside of it', () => {
  const terms = [
    { source: 'Edmond', target: 'Edmond' },
    { source: "d'Artagnan", target: "d'Artagnan" },
  ];
  for (const word of [
    "d'",
    "l'",
    "qu'",
    "lorsqu'",
    "jusqu'",
    "puisqu'",
    "quelqu'",
    "c'",
    "s'",
    'demi-',
    '«',
    '—',
    '(',
    '"',
  ]) {
    const text = `il sait ${word}Edmond-là`;
    const [place] = findTermPlaces(text, terms, 'fr');
    assert.equal(text.slice(place?.start, place?.end), 'Edmond', text);
  }
  const text = "dit-il à d'Artagnan, que D'Artagnan";
  assert.deepEqual(
    findTermPlaces(text, terms, 'fr').map(({ start, end }) => text.slice(start, end)),
    ["d'Artagnan", "D'Artagnan"],
  );
});

test('a name that is written without its capital is found by the rest of it, an ordinary word is not', () => {
  const terms = ['Allées de Meilhan', 'Rose'].map((source) => ({ source, target: source }));
  const found = (text: string) => findTermPlaces(text, terms, 'fr').map(({ start, end }) => text.slice(start, end));
  assert.deepEqual(found('vers les allées de Meilhan et la rose'), ['allées de Meilhan']);
  assert.deepEqual(found('les allées de la ville'), []);
});

test('a number that a scan has joined to a name hides it neither in the source nor in the translation', () => {
  const [place] = findTermPlaces('el Santa Ana120', [{ source: 'Santa Ana', target: 'Santa Ana' }], 'es');
  assert.deepEqual([place?.start, place?.end], [3, 12]);
  assert.deepEqual(missingTerms('the Santa Ana120', ['Santa Ana'], 'en'), []);
  assert.ok(appliedIn(targetText('the Santa Ana120'), 'Santa Ana', 'en', false));
});

test('of two names that fit, the one that is spelt like the text is meant', () => {
  const terms = ['Catalan', 'Catalans', 'Catalane'].map((source) => ({ source, target: source }));
  const targets = findTermPlaces('un Catalan aux Catalans, la Catalane', terms, 'fr').map(({ target }) => target);
  assert.deepEqual(targets, ['Catalan', 'Catalans', 'Catalane']);
});

test('a name that the model writes onto the word before it is separated, other words are left alone', () => {
  assert.equal(separateNames('the Castle ofIf, andDantès', [], "d'If", 'en'), 'the Castle of If, and Dantès');
  assert.equal(separateNames('the castlesIf', ['If'], '', 'en'), 'the castles If');
  for (const text of ['McDonald and an iPhone', 'ofIf', "o'Neil", 'O’Brien', 'pre-Roman'])
    assert.equal(separateNames(text, ['Donald'], 'ofIf', 'en'), text);
});

test('a name counts as written in its English forms and behind a French particle', () => {
  assert.deepEqual(missingTerms("the Château d'If, Anna's hat, the Annas", ['If', 'Anna'], 'en'), []);
  assert.deepEqual(missingTerms('the Catalan', ['Catalans'], 'en'), ['Catalans']);
});

test('of the names of a sentence only those asked for are hidden, nine at most, the others annotated', () => {
  const text = 'Anna et Boris';
  const places = findTermPlaces(
    text,
    ['Anna', 'Boris'].map((source) => ({ source, target: source })),
    'fr',
  );
  assert.equal(maskTerms(text, places, 'en', (target) => target === 'Boris').text, 'Anna ⟦ Anna ⟧ et <x1/>');
  const many = Array.from({ length: 12 }, (_, i) => `N${'abcdefghijkl'[i]}`);
  const all = findTermPlaces(
    many.join(' '),
    many.map((source) => ({ source, target: source })),
    'fr',
  );
  assert.equal(maskTerms(many.join(' '), all, 'en').text.match(/<x\d\/>/g)?.length, 9);
});

test('another name that the model put for one it does not know is replaced when nothing else can be meant', () => {
  const source = 'la veuve du rajah du Bundelkund';
  assert.equal(
    replaceStranger('the widow of the League.', 'Bundelkund', [], source, 'en'),
    'the widow of the Bundelkund.',
  );
  assert.equal(replaceStranger('the widow of the League in Asia.', 'Bundelkund', [], source, 'en'), undefined);
  assert.equal(replaceStranger('the widow in Germany.', 'Bundelkund', [], `${source} en Allemagne`, 'en'), undefined);
  assert.equal(replaceStranger('He said that Anna left.', 'Bundelkund', ['Anna'], source, 'en'), undefined);
});

test('two names that look alike are not taken for one, and hyphens are those of the book', () => {
  const names = ['Golfines', 'Teodoro Golfín'];
  assert.equal(withoutDoubledNames('The Golfines Teodoro Golfín', names), 'The Golfines Teodoro Golfín');
  assert.equal(settleSpelling('the Reform Club', ['Reform-Club'], '', 'en'), 'the Reform-Club');
});

test('a first word that the model also translates is not written twice', () => {
  const name = ['Allées de Meilhan'];
  assert.equal(withoutDoubledNames('to the alleys of Allées de Meilhan', name), 'to the Allées de Meilhan');
  assert.equal(withoutDoubledNames('the trees of Allées de Meilhan', name), 'the trees of Allées de Meilhan');
});

test('a term that is half translated beside its rendering keeps the rendering alone', () => {
  const terms = [
    { source: 'Puerto Calmo', target: 'Calm Harbour' },
    { source: 'Pilar', target: 'Pilar' },
    { source: 'Marie', target: 'Mary' },
    { source: 'Marie Morel', target: 'Mary Morel' },
  ];
  for (const half of [
    'Port Calm Harbour',
    'Puer Calm Harbour',
    'Puerto de Calm Harbour',
    'Calm Harbour Calmo',
    "Calm Harbour's Port",
  ])
    assert.equal(withoutHalfTerms(`Nobody in ${half} knew.`, terms), 'Nobody in Calm Harbour knew.');
  for (const whole of [
    'Pilar Calm Harbour',
    'Madame Mary',
    'Madame Mary Morel',
    'Old Calm Harbour',
    'the port of Calm Harbour',
    'Port Calm Harbourmaster',
  ])
    assert.equal(withoutHalfTerms(`Nobody in ${whole} knew.`, terms), `Nobody in ${whole} knew.`);
});

test('tags leave no blank missing and none too many, kept or taken out', () => {
  const tagged = toModelTags('le château d’<7>If</7>, dit-il<8/>.');
  for (const answer of [
    'castle of <1> If </1> , he said <x2/> .',
    'castle of<1>If</1>, he said<x2/>.',
    'castle of<1> If</1> , he said <x2/>.',
  ])
    assert.equal(tagged?.restore(answer), 'castle of <7>If</7>, he said<8/>.', answer);
  assert.equal(withoutModelTags('castle of<1>If</1>was <x2/> , he <3> said </3> .'), 'castle of If was, he said.');
});

test('quotation marks that stand free are put where they belong', () => {
  assert.equal(typesetEnglish('"Yes," said he, " Edmond told me. "'), '“Yes,” said he, “Edmond told me.”');
  assert.equal(typesetEnglish('" Ah!" he said; then " no " again. . . .'), '“Ah!” he said; then “no” again…');
});
