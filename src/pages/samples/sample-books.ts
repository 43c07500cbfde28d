/** Short novels of our own, to try the service with: the demo translates them, and anybody may download them. */
import { readFileSync } from 'node:fs';
import { readChapters, type SampleChapter, sampleEpub } from './sample-epub.ts';

const books = {
  en: { name: 'the-ferry-house', title: 'The Ferry House', author: 'Agnes Holloway' },
  fr: { name: 'le-moulin-des-brumes', title: 'Le Moulin des brumes', author: 'Claire Vasseur' },
  es: { name: 'la-casa-de-los-relojes', title: 'La casa de los relojes', author: 'Marina Olmedo' },
};

export type SampleLanguage = keyof typeof books;

export interface SampleBook {
  /** Without an ending. */
  name: string;
  chapters: SampleChapter[];
  epub: Uint8Array;
}

export function sampleBook(language: SampleLanguage): SampleBook {
  const { name, ...about } = books[language];
  const chapters = readChapters(readFileSync(new URL(`${name}.md`, import.meta.url), 'utf8'));
  return { name, chapters, epub: sampleEpub({ ...about, language, chapters }) };
}
