import { flaggedWord } from './zoo.ts';

export const chapters = 12;

/** A short story in chapters of one segment each: so short, with one paragraph, that a thought of 1,500 tokens is longer than any answer. One paragraph has a word that some providers will not have. */
export function zooBook(seed: string, perChapter = 4): { text: string; flagged: string; paragraphs: number } {
  const flagged = `Under the ${flaggedWord} nobody slept.`;
  const parts = Array.from({ length: chapters }, (_, chapter) => {
    const paragraphs = Array.from({ length: perChapter }, (_, place) => {
      const pick = <T>(list: readonly T[], shift: number): T =>
        list[(chapter * 3 + place * 5 + shift) % list.length] as T;
      return `${pick(openings, 0)} ${pick(people, 1)} ${pick(deeds, 2)}, and ${pick(people, 3)} ${pick(deeds, 4)} ${seed}-${chapter}-${place}. ${pick(closings, 5)}`;
    });
    if (chapter === 6) paragraphs.splice(perChapter >> 1, 0, flagged);
    return [`Chapter ${chapter + 1}`, ...paragraphs].join('\n\n');
  });
  return { text: parts.join('\n\n'), flagged, paragraphs: chapters * perChapter + 1 };
}

const people = ['Marit Olsen', 'old Tobias', 'the ferryman', 'Ilse Brandt', 'Marit'];
const openings = [
  'Before the bell rang,',
  'That winter',
  'On the third evening',
  'While the kettle sang,',
  'Long after the market had closed,',
  'In the yard behind the mill',
];
const deeds = [
  'carried the lamp down to the landing',
  'counted the nets once more',
  'wrote a letter and burned it',
  'listened to the ice on the river',
  'asked who had moved the boat',
  'mended the blue coat by the window',
  'told the story of the drowned bell',
];
const closings = [
  'Nobody answered for a long while.',
  'The dog lifted its head and slept again.',
  'It smelled of tar and wet wool.',
  'Somewhere a door was closed very gently.',
  'The light on the far shore went out.',
];
