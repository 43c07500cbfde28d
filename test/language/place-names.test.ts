import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { placeNameIn } from '../../src/language/place-names.ts';

test('countries and famous places have their name in the target language; other names are unknown', () => {
  assert.equal(placeNameIn('Italie', 'fr', 'en'), 'Italy');
  assert.equal(placeNameIn('España', 'es', 'en'), 'Spain');
  assert.equal(placeNameIn('Россия', 'ru', 'en'), 'Russia');
  assert.equal(placeNameIn('Deutschland', 'de', 'fr'), 'Allemagne');
  assert.equal(placeNameIn('América', 'es', 'en'), 'America');
  assert.equal(placeNameIn('Corse', 'fr', 'en'), 'Corsica');
  assert.equal(placeNameIn('Camille', 'fr', 'en'), undefined);
});
