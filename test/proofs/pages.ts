/**
 * Pages beyond what the suite tests of them: documentation, the console, evaluations, a partner's account, and the reader for an editor, while a book is
 * translated, on a long book and in a day's work. It has one size.
 */
import { suite } from 'node:test';
import { closeSharedParts, keepSharedParts } from '../support/shared-parts.ts';

const pages = [
  'console-work',
  'account',
  'documentation',
  'editor',
  'evaluations',
  'long-book',
  'reader-comfort',
  'reader-sheet',
  'review',
  // Last: its clock stays in the browser's profile, and the others measure time.
  'live-book',
];

// One after another, with the same browser and application, which would keep this process alive.
keepSharedParts();
for (const page of pages) await suite(page, async () => void (await import(`./pages/${page}.ts`)));
await closeSharedParts();
