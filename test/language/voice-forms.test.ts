import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressIn, tenseIn } from '../../src/language/voice-forms.ts';

for (const [language, familiar, polite] of [
  ['de', '„Kommst du heute?“, fragte er.', '„Haben Sie den Schlüssel?“, rief sie. Sie lachte.'],
  ['fr', '— Tu reviens ce soir ? dit-il.', '« Avez-vous la clef ? » Elle attendit.'],
  ['es', '—¿Y tú? —dijo. «Es tu casa», pensó.', '«¿Viene usted?», preguntó.'],
  ['ru', '«Ты куда?» — спросил он.', '«Вы куда?» — спросил он.'],
  ['zh', '“你来吗？”他问。', '“您来吗？”他问。'],
] as const) {
  test(`address shows in speech: ${language}`, () => {
    assert.equal(addressIn(familiar, language), 'familiar');
    assert.equal(addressIn(polite, language), 'polite');
    assert.equal(addressIn('…', language), undefined);
  });
}

for (const [language, past, present] of [
  ['de', 'Er stand am Fenster und sah hinaus. „Was ist?“', 'Er steht am Fenster und sieht hinaus. „Was war?“'],
  ['fr', 'Il regarda la mer et parla bas.', 'Il regarde la mer et parle bas.'],
  ['es', 'Miró el mar y dijo adiós.', 'Mira el mar y dice adiós.'],
  ['en', 'She looked out and said nothing. “It is late.”', 'She looks out and says nothing. “It was late.”'],
] as const) {
  test(`tense shows outside of speech: ${language}`, () => {
    assert.equal(tenseIn(past, language), 'past');
    assert.equal(tenseIn(present, language), 'present');
  });
}

test('a language that nothing is known of shows nothing, and a text that shows both shows neither', () => {
  assert.equal(addressIn('“You?”', 'fi'), undefined);
  assert.equal(tenseIn('Hän oli.', 'fi'), undefined);
  assert.equal(addressIn('„Du?“ – „Haben Sie Zeit?“', 'de'), undefined);
});
