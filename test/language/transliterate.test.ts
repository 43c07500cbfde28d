import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transliterate } from '../../src/language/transliterate.ts';

const cases: Record<string, Record<string, string>> = {
  ru: {
    'Анна Каренина': 'Anna Karenina',
    Вронский: 'Vronsky',
    Облонский: 'Oblonsky',
    'Степан Аркадьич': 'Stepan Arkadyich',
    'Алексей Александрович': 'Alexei Alexandrovich',
    'Дарья Александровна': 'Darya Alexandrovna',
    Щербацкая: 'Shcherbatskaya',
    'ЩЕДРИН и Щедрин': 'SHCHEDRIN i Shchedrin',
    'Лев Николаевич Толстой': 'Lev Nikolaevich Tolstoy',
    'Фёдор Достоевский': 'Fyodor Dostoevsky',
    'Пётр Ильич Чайковский': 'Pyotr Ilyich Chaikovsky',
    'Евгений Онегин': 'Evgeny Onegin',
    'Юрий и Мария': 'Yuri i Maria',
    Соловьёв: 'Solovyov',
    Горбачёв: 'Gorbachev',
    Ельцин: 'Yeltsin',
    'Римский-Корсаков': 'Rimsky-Korsakov',
    'Ю. Я. Щ.': 'Yu. Ya. Shch.',
  },
  uk: {
    'Володимир Зеленський': 'Volodymyr Zelensky',
    Київ: 'Kyiv',
    "Лук'ян": 'Lukyan',
    'Наталія Ґалаґан': 'Natalia Galagan',
    Згурський: 'Zghursky',
  },
  be: { 'Васіль Быкаў': 'Vasil Bykau' },
  bg: { 'Иван Вазов': 'Ivan Vazov', Търново: 'Tarnovo', 'Бай Ганьо': 'Bay Ganyo', Щърбов: 'Shtarbov' },
  sr: { 'Иво Андрић': 'Ivo Andrić', Љубица: 'Ljubica', ЂУРЂЕВДАН: 'ĐURĐEVDAN' },
  mk: { 'Ѓорѓи Ќосев': 'Gjorgji Kjosev' },
  el: {
    'Γιώργος Παπαδόπουλος': 'Giorgos Papadopoulos',
    Ευγενία: 'Evgenia',
    Ευτυχία: 'Eftychia',
    Μπουμπουλίνα: 'Boumboulina',
    Άγγελος: 'Angelos',
  },
};

describe('names in Latin letters', () => {
  for (const [language, names] of Object.entries(cases)) {
    it(`follow the custom of English prose for ${language}`, () => {
      for (const [name, latin] of Object.entries(names)) assert.equal(transliterate(name, language), latin);
    });
  }

  it('guess the alphabet by its letters when the language is not known', () => {
    assert.equal(transliterate('Київ'), 'Kyiv');
    assert.equal(transliterate('Андрић'), 'Andrić');
    assert.equal(transliterate('Каренин'), 'Karenin');
  });

  it('leave everything else alone', () => {
    assert.equal(transliterate('Pierre 北京 — «Анна», 12', 'ru'), 'Pierre 北京 — «Anna», 12');
  });

  it('leave no letter of a supported alphabet untouched', () => {
    for (const letters of [
      'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
      'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
      'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
      'абвгдђежзијклљмнњопрстћуфхцчџш',
      'αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰ',
    ]) {
      for (const letter of letters)
        assert.doesNotMatch(transliterate(letter), /[\p{Script=Cyrillic}\p{Script=Greek}]/u, letter);
    }
  });
});
