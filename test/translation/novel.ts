/** A novel of any length made by seed, with a cast whose members appear under several names. */
import { type Block, countCharacters, type Document, type Section } from '../../src/documents/document.ts';

export interface Character {
  first: string;
  last: string;
  full: string;
  title: string;
  gender: 'male' | 'female';
}

const firstNames =
  'Alaric Brenna Corwin Delia Edric Fenella Garrick Helewise Ingram Jocasta Kester Linnet Merrick Nerissa Osric Petronel Quillon Rosamund Severin Thessaly Ulric Verity Wystan Ysolde Zebedee Ambrose Beatrix Crispin Dorothea Eustace Frideswide Gideon Hestia Ivor Juniper Leander Melisende Nicasius Ottilie Peregrine'.split(
    ' ',
  );
const lastNames =
  'Ashdown Blackmere Calloway Dunmarrow Everhart Fairweather Gildersleeve Harrowgate Ironside Jessamy Kettleburn Larkspur Mandeville Nightingale Oakhanger Pennywhistle Quarrington Ravenscar Silverlock Thornbury Underhill Vantongeren Wetherby Yarborough Zellaby Amberley Brackenridge Copperthwaite Dovecote Elphinstone Foxglove Greymantle Hollowell Inkpen Jolliffe Kingsolver Loveday Merriweather Netherfield Osgood'.split(
    ' ',
  );

export const cast: readonly Character[] = firstNames.map((first, i) => {
  const last = lastNames[i] ?? '';
  const gender = i % 2 === 0 ? 'male' : 'female';
  return { first, last, full: `${first} ${last}`, title: gender === 'male' ? 'Captain' : 'Lady', gender };
});

export const places = ['Varrowmouth', 'Silent Harbour', 'Castle Emberfall'];

const openings = [
  'The rain had not stopped since morning, and the lamps along the quay were already lit when',
  'Nobody in the long hall spoke for a while, until at last, with a sigh,',
  'It was the custom of that coast to ring a bell for the drowned, and so',
  'Far below the terrace the river turned silver between the willows, while',
  'When the last cart had rolled through the gate and the dust had settled again,',
];
const deeds = [
  'set the cracked lantern on the table and asked who had moved the letters',
  'counted the coins twice and pushed half of them back across the counter',
  'walked slowly along the wall, listening for the sound of the tide',
  'laughed so suddenly that the dog under the bench began to bark',
  'folded the map without a word and hid it inside the lining of the coat',
  'looked for a long time at the empty chair beside the window',
];
const answers = [
  'I would rather lose the ship than the people on it,',
  'You cannot ask the sea to be patient with fools,',
  'There was a door here once, and somebody has painted over it,',
  'We leave before the moon is up, or we do not leave at all,',
  'My mother kept bees, and she never trusted a quiet hive,',
];

/** Numbers from a seed, evenly between 0 and 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0;
    state = (state ^ (state >>> 15)) >>> 0 || 1;
    return state / 4_294_967_296;
  };
}

export function makeNovel(characters: number, seed = 7): Document {
  const next = random(seed);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error('empty list');
    return item;
  };
  const called = ({ first, last, full, title }: Character): string =>
    pick([first, first, full, `${title} ${last}`, last]);
  const sections: Section[] = [];
  let total = 0;
  let id = 0;
  const block = (text: string, kind: Block['kind'] = 'paragraph'): Block => {
    id++;
    total += countCharacters(text);
    return { id: `b${id}`, kind, text, characters: countCharacters(text) };
  };
  while (total < characters) {
    const chapter = sections.length + 1;
    const title = `Chapter ${chapter}`;
    const blocks = [block(title, 'heading')];
    for (let i = 0; i < 40 && total < characters; i++) {
      const [one, other] = [pick(cast), pick(cast)];
      const pronoun = one.gender === 'male' ? 'he' : 'she';
      const text = pick([
        `${pick(openings)} ${called(one)} ${pick(deeds)}. Only ${called(other)} had seen it, and ${called(other)} said nothing about it in ${pick(places)}.`,
        `“${pick(answers)}” said ${called(one)}. Then ${pronoun} ${pick(deeds)}, and ${called(other)}’s hands began to tremble.`,
        `${called(one)} ${pick(deeds)}. ${pick(openings)} the others came down from ${pick(places)} and ${called(other)} ${pick(deeds)}.`,
        '“Never!”',
      ]);
      blocks.push(block(text));
    }
    blocks.push(block('* * *'));
    sections.push({ title, blocks });
  }
  return documentOf(sections);
}

export function documentOf(sections: Section[]): Document {
  const characters = sections.flatMap(({ blocks }) => blocks).reduce((sum, one) => sum + one.characters, 0);
  return {
    format: 'epub',
    encoding: undefined,
    title: undefined,
    author: undefined,
    declaredLanguage: 'en',
    writingMode: 'horizontal',
    hasRuby: false,
    imageCount: 0,
    sections,
    characters,
    totalCharacters: characters,
    textCharacters: characters,
    skipped: [],
  };
}

export function paragraphs(texts: readonly string[]): Section {
  return {
    title: undefined,
    blocks: texts.map((text, i) => ({ id: `b${i + 1}`, kind: 'paragraph', text, characters: countCharacters(text) })),
  };
}
