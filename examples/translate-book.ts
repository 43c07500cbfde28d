/** Translates a book: looks at the price first, then orders, waits, downloads, and prints a link to read it side by side. */
import { stat } from 'node:fs/promises';
import { Toledo } from '@toledo/client';

const [book, target_lang = 'en'] = process.argv.slice(2);
if (book === undefined) throw new Error('Which book? node translate-book.ts BOOK [LANGUAGE]');
const toledo = new Toledo({ baseUrl: process.env.TOLEDO_BASE_URL ?? '', apiKey: process.env.TOLEDO_API_KEY ?? '' });

// Free: what the book would cost. A file has at most as many characters as bytes.
const asked = await toledo.createTask({
  action: 'token_estimate',
  file: book,
  target_lang,
  estimated_chars: (await stat(book)).size,
});
const estimate = await toledo.wait(asked.task_id);
const { balance_credits } = await toledo.usage();
console.log(`${estimate.estimated_credits} credits of ${balance_credits}`);

const { task, files } = await toledo.translateFile(book, {
  target_lang,
  estimated_chars: estimate.char_count,
  to: `${book}.${target_lang}`,
  onProgress: (now) => console.log(now.stage, `${Math.floor((now.progress ?? 0) * 100)} %`),
});
console.log(`Written ${files[0]?.path}, charged ${task.credits_charged} credits`);
console.log(`Read it at ${(await toledo.readerLink(task.task_id)).url}`);
