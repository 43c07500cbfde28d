import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { modernSpanish } from '../../src/language/modern-spanish.ts';
import { placeNameIn } from '../../src/language/place-names.ts';
import { typographyOf } from '../../src/language/typography/typography.ts';

/** No-break blanks as ~ and thin ones as ^, to be seen. */
function set(language: string, text: string): string {
  return typographyOf(language).typeset(text).replaceAll('\u00a0', '~').replaceAll('\u202f', '^');
}

test('French speech opens with a dash and a blank that does not break, high marks have a thin one before them', () => {
  assert.equal(set('fr', '—Mais vous oubliez, maman! dit-elle.'), '—~Mais vous oubliez, maman^! dit-elle.');
  assert.equal(set('fr', 'Elle partit; il dit: "Non, fous!"'), 'Elle partit^; il dit~: «~Non, fous^!~»');
  assert.equal(
    set('fr', 'Il vint?!... A midi — ou plus tard — il partit.'),
    'Il vint^?!… À midi — ou plus tard — il partit.',
  );
  assert.equal(set('fr', 'À 12:30, voir http://a.fr'), 'À 12:30, voir http://a.fr');
});

test('French has curly apostrophes, and œ where o and e are one letter', () => {
  assert.equal(set('fr', "L'oeil, ses soeurs, le COEUR, des oeufs"), 'L’œil, ses sœurs, le CŒUR, des œufs');
  assert.equal(set('fr', 'la moelle, coexister, un poète, Noël'), 'la moelle, coexister, un poète, Noël');
});

test('inline tags are nothing beside a mark', () => {
  assert.equal(
    set('fr', '<1>"Oui"</1>, dit-il; <2>voir</2>? "Non"<3/>'),
    '<1>«~Oui~»</1>, dit-il^; <2>voir</2>^? «~Non~»<3/>',
  );
  assert.equal(set('es', '—<1>Sí</1>—dijo él.—<2>Voy</2>.'), '—<1>Sí</1> —dijo él—. <2>Voy</2>.');
});

test('Spanish dashes stand around who speaks, and marks behind the second', () => {
  const rows = [
    ['—Mi querido Bennet—le dijo su señora—, ¿has oído?', '—Mi querido Bennet —le dijo su señora—, ¿has oído?'],
    ['—¿Qué es eso?—exclamó él.—Tonterías.', '—¿Qué es eso? —exclamó él—. Tonterías.'],
    ['—No tengo más,—dijo él,—y me alegro.', '—No tengo más —dijo él—, y me alegro.'],
    ['—No es así, dijo la madre con recelo, pues no vamos.', '—No es así —dijo la madre con recelo—, pues no vamos.'],
    ['—Me voy—dijo ella—.', '—Me voy —dijo ella.'],
    ['La casa—vieja y fría—estaba sola.', 'La casa —vieja y fría— estaba sola.'],
    ['Dijo: "¡No!"', 'Dijo: «¡No!»'],
  ] as const;
  for (const [plain, printed] of rows) assert.equal(set('es', plain), printed);
});

test('a Spanish question or cry has a mark where it begins too, once', () => {
  assert.equal(set('es', 'Vamos? Qué bueno! Sí.'), '¿Vamos? ¡Qué bueno! Sí.');
  assert.equal(set('es', '—Pero, ¿cómo? —dijo.'), '—Pero, ¿cómo? —dijo.');
});

test('old Spanish spelling becomes that of today, in whole words only', () => {
  assert.equal(
    modernSpanish('Á las dos fué ó no fué á verla; vió y dió.'),
    'A las dos fue o no fue a verla; vio y dio.',
  );
  assert.equal(
    modernSpanish('tontas y ignorantes, siete o ocho, y hielo'),
    'tontas e ignorantes, siete u ocho, y hielo',
  );
  assert.equal(modernSpanish('habló á el señor de el parque y a él'), 'habló al señor del parque y a él');
  assert.equal(
    modernSpanish('Está más allá, según él: José, bebé y café.'),
    'Está más allá, según él: José, bebé y café.',
  );
  assert.equal(modernSpanish('El constructor volvió.'), 'El constructor volvió.');
});

test('a French or Spanish title has one capital, at its beginning', () => {
  assert.equal(typographyOf('fr').title('<1>la table des matières'), '<1>La table des matières');
  assert.equal(typographyOf('es').title('Un jardín de oriente'), 'Un jardín de oriente');
});

test('German and Italian have their own quotation marks', () => {
  assert.equal(set('de', '"Ja", sagte er... — "Nein."'), '„Ja“, sagte er… – „Nein.“');
  assert.equal(set('it', 'Disse: "Sì", e andò.'), 'Disse: «Sì», e andò.');
});

test('a famous place has its own name in both directions', () => {
  assert.deepEqual(
    [placeNameIn('London', 'en', 'fr'), placeNameIn('London', 'en', 'es'), placeNameIn('England', 'en', 'es')],
    ['Londres', 'Londres', 'Inglaterra'],
  );
  assert.equal(placeNameIn('Londres', 'fr', 'en'), 'London');
  assert.equal(placeNameIn('Meryton', 'en', 'fr'), undefined);
});
