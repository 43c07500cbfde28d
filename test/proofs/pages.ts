/**
 * Pages beyond what the suite tests of them: documentation, the console, evaluations, a partner's account, and the reader for an editor, while a book is
 * translated, on a long book and in a day's work. It has one size.
 */
import { suite } from 'node:test';

const pages = [
  'console-work',
  'account',
  'documentation',
  'editor',
  'evaluations',
  'live-book',
  'long-book',
  'reader-comfort',
  'reader-sheet',
  'review',
];

// One after another, with the same browser.
for (const page of pages) await suite(page, async () => void (await import(`./pages/${page}.ts`)));
