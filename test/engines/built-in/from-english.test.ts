import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { readHeading } from '../../../src/engines/built-in/chapter-headings.ts';
import {
  lowerCapitals,
  readUnderscores,
  withDoubleQuotes,
  withSpeechMarks,
} from '../../../src/engines/built-in/draft-block.ts';
import { withSpanishTitles } from '../../../src/engines/built-in/forms-of-address.ts';
import { isInventedHeading } from '../../../src/engines/built-in/lost-sentences.ts';
import {
  missingTerms,
  settleSpelling,
  substituteTerm,
  withElisions,
  withoutArticles,
} from '../../../src/engines/built-in/name-repairs.ts';
import { markSpeech } from '../../../src/engines/built-in/pieces.ts';
import { maskTerms } from '../../../src/engines/built-in/ways.ts';

function lead(text: string, target: string, isHeading = true): string | undefined {
  const found = readHeading(text, 'en', target, isHeading);
  return found && `${found.lead}|${found.rest}`;
}

test('word and number of an English heading are set by rule, and its title is left to be translated', () => {
  assert.equal(lead('Chapter IV', 'fr'), 'Chapitre IV|');
  assert.equal(lead('CHAPTER I.\nDown the Well', 'es'), 'Capítulo I.\n|Down the Well');
  assert.equal(lead('Chapter the First', 'fr'), 'Chapitre premier|');
  assert.equal(lead('Chapter Twenty-One: The Ball', 'es'), 'Capítulo 21: |The Ball');
  assert.equal(lead('Part One', 'fr'), 'Première partie|');
  assert.equal(lead('Book the Second—The Thread', 'es'), 'Libro dos—|The Thread');
  assert.equal(lead('Chapter I The Mill', 'fr', false), 'Chapitre I |The Mill');
  assert.equal(lead('Part of it was gone.', 'fr', false), undefined);
});

test('a lone numeral stays, a numeral before a title too, and the pronoun I is no numeral', () => {
  assert.equal(lead('I', 'fr'), 'I|');
  assert.equal(lead('XLII.', 'es'), 'XLII.|');
  assert.equal(lead('I. The Letter', 'fr'), 'I. |The Letter');
  assert.equal(lead('I am here', 'fr'), undefined);
  assert.equal(lead('X. came late.', 'fr', false), undefined);
  assert.deepEqual(readHeading('IX Le soir des fiançailles', 'fr', 'en', false), {
    lead: 'IX ',
    rest: 'Le soir des fiançailles',
  });
  assert.deepEqual(readHeading('Erstes Kapitel', 'de', 'en', true), { lead: 'Chapter One', rest: '' });
});

test('a translation that is nothing but the number of a chapter is not believed', () => {
  assert.equal(isInventedHeading('Le soir des fiançailles', 'CHAPTER IX.'), true);
  assert.equal(isInventedHeading('Chapitre neuf', 'Chapter IX'), false);
});

test('a line in capitals is read in small letters, with its names, and gets its capitals back', () => {
  const title = lowerCapitals('THE LAST BALL AT LONGBOURN', [{ source: 'Longbourn', target: 'Longbourn' }], true);
  assert.equal(title.text, 'The last ball at Longbourn');
  assert.equal(title.restore('Le dernier bal à Longbourn', 'fr'), 'LE DERNIER BAL À LONGBOURN');
  assert.equal(lowerCapitals('190 THE FIR TREE', [], true).text, '190 The fir tree');
  assert.equal(lowerCapitals('CONTENTS', [], true).text, 'Contents');
  assert.equal(lowerCapitals('XIV', [], true).text, 'XIV');
  assert.equal(lowerCapitals('NATO', [], false).text, 'NATO');
});

test('underscores of plain text are formatting: the model never sees them, and they come back around the same words', () => {
  const context = { sourceLang: 'fr', targetLang: 'en', terms: [{ source: 'Pharaon', target: 'Pharaon' }] };
  const emphasis = readUnderscores('Le <1>vieux</1> _Pharaon_ et snake_case_name');
  assert.equal(emphasis.text, 'Le <1>vieux</1> <2>Pharaon</2> et snake_case_name');
  assert.equal(emphasis.restore('The <1>old</1> <2>Pharaon</2>', context), 'The <1>old</1> _Pharaon_');
  assert.equal(emphasis.restore('The <1>old</1> Pharaon sailed', context), 'The <1>old</1> _Pharaon_ sailed');
});

test('an English name is found behind every French elision, spelt as in the book, and elided as it begins', () => {
  for (const before of ["d'", "qu'", "lorsqu'", "l'", "jusqu'"])
    assert.deepEqual(missingTerms(`la lettre ${before}Elizabeth`, ['Elizabeth'], 'fr'), [], before);
  assert.equal(settleSpelling("la main d'Elisabeth", ['Elizabeth'], 'Elizabeth', 'fr'), "la main d'Elizabeth");
  assert.equal(substituteTerm("la main d'Elisabette", 'Elizabeth', [], 'fr'), "la main d'Elizabeth");
  assert.equal(withElisions('la main de Elizabeth, que Elizabeth', ['Elizabeth']), "la main d'Elizabeth, qu'Elizabeth");
  assert.equal(withElisions("la main d'Bennet et d'Hurst", ['Bennet', 'Hurst']), 'la main de Bennet et de Hurst');
  assert.equal(withElisions('de <1>Elizabeth</1>', ['Elizabeth']), "d'<1>Elizabeth</1>");
});

test('Spanish has no article before an English name, unless its source has one', () => {
  const text = 'La Lizzy fue al Netherfield con los Bennet y el Grange';
  const source = 'Lizzy went to Netherfield with the Bennets and the Grange';
  assert.equal(
    withoutArticles(text, ['Lizzy', 'Netherfield', 'Grange'], source),
    'Lizzy fue a Netherfield con los Bennet y el Grange',
  );
});

test('one Spanish form of address for all, with an article where nobody is spoken to', () => {
  const rows = [
    ['—Espero que el Sr. Bingley le guste, Lizzy.', '—Espero que el señor Bingley le guste, Lizzy.'],
    ['ir a ver a Mr. Bingley y de Mrs. Long', 'ir a ver al señor Bingley y de la señora Long'],
    ['Mrs. Bennet calló.', 'La señora Bennet calló.'],
    ['—Imposible, Mr. Bennet, imposible', '—Imposible, señor Bennet, imposible'],
    ['—Mr. Bennet, ¿cómo?', '—Señor Bennet, ¿cómo?'],
    ['Su cuñado, Mr. Hurst, miró.', 'Su cuñado, el señor Hurst, miró.'],
  ] as const;
  for (const [plain, mended] of rows) assert.equal(withSpanishTitles(plain, ''), mended);
  assert.equal(
    withSpanishTitles('El señor William vio al señor William.', 'Sir William'),
    'Sir William vio a sir William.',
  );
});

test('every part of an English speech is told to be speech', () => {
  const parts = ['“I came.', 'I saw.', 'I won,” he said.', 'He left.'].map((text) => ({ text, after: ' ' }));
  assert.deepEqual(
    markSpeech(parts, 'en').map(({ spoken }) => spoken),
    [{ before: false, after: true }, { before: true, after: true }, { before: true, after: false }, undefined],
  );
  assert.deepEqual(markSpeech(parts, 'fr'), parts);
});

test('a paragraph begins with a dash where its source begins with speech, and only there', () => {
  assert.equal(withSpeechMarks('“Yes,” he said.', 'Oui, dit-il.', 'fr'), '—Oui, dit-il.');
  assert.equal(withSpeechMarks('“Yes,” he said.', '"Oui", dit-il.', 'fr'), '—Oui, dit-il.');
  assert.equal(withSpeechMarks('“Yes,” he said.', '— Oui, dit-il.', 'fr'), '— Oui, dit-il.');
  assert.equal(withSpeechMarks('He left.', '—Il partit.', 'fr'), 'Il partit.');
  assert.equal(withSpeechMarks('He said, “Go.”', 'Il dit: —Partez.', 'fr'), 'Il dit: "Partez."');
});

test('speech in single marks is read as speech, an apostrophe is none', () => {
  assert.equal(withDoubleQuotes('‘Don’t go,’ she said, ‘please.’'), '“Don’t go,” she said, “please.”');
  assert.equal(
    withDoubleQuotes("'Tis late, and the Bennets' house is far."),
    "'Tis late, and the Bennets' house is far.",
  );
  assert.equal(withDoubleQuotes('“He said ‘go,’ and left.”'), '“He said ‘go,’ and left.”');
});

test('a sentence that the model begins behind a placeholder goes on in small letters', () => {
  const mask = maskTerms('Mary wished to speak.', [{ start: 0, end: 4, target: 'Mary' }], 'es');
  assert.equal(mask.unmask('<x1/> Quería hablar.'), 'Mary quería hablar.');
});
