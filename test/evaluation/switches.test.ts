import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { comparedWith, decisionsOf, switchesIn } from '../../src/evaluation/switches.ts';

const sheet = {
  tense: 'past tense (Präteritum); Plusquamperfekt, never the present, for what lay before',
  address: [
    { from: 'Elisabeth Bennet', to: 'Herr Darcy', form: '"Sie" on both sides' },
    { from: 'Elisabeth Bennet', to: 'Jane', form: '"du", as sisters' },
    { from: 'Lydia', to: 'Wickham', form: '"Sie", from the wedding on "du"' },
  ],
  phrases: [{ source: 'upon my word', target: 'auf mein Wort' }],
};

function address(source: readonly string[], texts: readonly string[], of = sheet): [number, number] {
  const found = switchesIn([{ kind: 'dialogue', source, texts }], decisionsOf(of, 'de'), 'de');
  return [found.address_switches, found.address_paragraphs];
}

test('who is named decides which form of address is right; where the sheet leaves two open, none is wrong', () => {
  const familiar = '„Weißt du es, und sagt es dir niemand?“';
  const polite = '„Das wissen Sie, und niemand sagt es Ihnen?“';
  assert.deepEqual(address(['Elizabeth to Darcy'], [`Elisabeth sah Darcy an. ${familiar}`]), [1, 1]);
  assert.deepEqual(address(['Elizabeth to Darcy'], [`Elisabeth sah Darcy an. ${polite}`]), [0, 1]);
  assert.deepEqual(address(['', ''], ['Jane rief nach Elisabeth Bennet.', polite]), [1, 1], 'named just before');
  assert.deepEqual(address([''], [`Herr Collins lachte. ${familiar}`]), [0, 0], 'a title is nobody');
  assert.deepEqual(address([''], [`Elisabeth Bennet lachte. ${familiar}`]), [0, 0], 'to Darcy or to Jane?');
  assert.deepEqual(address([''], [`Lydia küsste Wickham. ${familiar}`]), [0, 0], 'before or after the wedding?');
  assert.deepEqual(address([''], [familiar]), [0, 0], 'nobody is named');
});

test('what holds for everybody else, and a sheet with one form alone, decide the rest', () => {
  const familiar = '„Weißt du es?“';
  const others = [{ from: 'everybody else', to: 'everybody else', form: 'polite' }];
  assert.deepEqual(address([''], [familiar], { ...sheet, address: [...sheet.address, ...others] }), [1, 1]);
  assert.deepEqual(address([''], [familiar], { ...sheet, address: sheet.address.slice(0, 1) }), [1, 1]);
});

test('tense is compared outside of letters, phrases where the source has them', () => {
  const decisions = decisionsOf(sheet, 'de');
  const texts = ['Er steht da und sieht hinaus.', 'Er stand da. „Auf mein Wort!“'];
  const source = ['He stood there, upon my word.', 'He stood there. “Upon my word!”'];
  const told = switchesIn([{ kind: 'description', source, texts }], decisions, 'de');
  assert.deepEqual([told.tense_switches, told.tense_paragraphs], [1, 2]);
  assert.deepEqual([told.phrase_switches, told.phrase_paragraphs], [1, 2]);
  const letter = switchesIn([{ kind: 'letter', source, texts }], decisions, 'de');
  assert.deepEqual([letter.tense_switches, letter.tense_paragraphs], [0, 0]);
});

test('without a decision paragraphs are compared with the one before', () => {
  const decisions = decisionsOf({ tense: 'as in the source' }, 'de');
  assert.deepEqual(comparedWith(decisions), { address: 'neighbours', tense: 'neighbours', phrases: null });
  const texts = ['Er stand da.', 'Er steht da.', 'Er geht.', 'Er ging.'];
  const found = switchesIn([{ kind: 'description', source: texts, texts }], decisions, 'de');
  assert.deepEqual([found.tense_switches, found.tense_paragraphs], [2, 4]);
});

test('decisions are understood in the words of each language', () => {
  const formOf = (form: string, language: string) =>
    decisionsOf({ address: [{ from: 'everybody', to: 'everybody', form }] }, language).otherwise;
  assert.equal(formOf('vouvoie', 'fr'), 'polite');
  assert.equal(formOf('tutoie', 'fr'), 'familiar');
  assert.equal(formOf('用“您”称呼', 'zh'), 'polite');
  assert.equal(formOf('usted, también en privado', 'es'), 'polite');
  assert.equal(formOf('на ты', 'ru'), 'familiar');
  assert.equal(formOf('informal', 'de'), 'familiar');
  assert.equal(formOf('vous, later tu', 'fr'), undefined);
  const tenseOf = (tense: string) => decisionsOf({ tense }, 'fr').tense;
  assert.equal(tenseOf('passé simple, with imparfait'), 'past');
  assert.equal(tenseOf('présent; passé composé for what lay before'), 'present');
  assert.equal(tenseOf('as the source has it'), undefined);
});
