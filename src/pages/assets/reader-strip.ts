/** The whole book along the edge: one row of pixels per stretch of paragraphs, in the colour of the worst of them. */
import { byId } from './dom.ts';
import type { Chapters } from './reader-chapters.ts';
import type { Book } from './reader-data.ts';

const order = 'fwcak.';
const variables: Record<string, string> = {
  f: '--bad',
  w: '--warn',
  c: '--good',
  a: '--good',
  k: '--muted',
  '.': '--line',
};

/** Returns what draws it again. */
export function setUpStrip(book: Book, chapters: Chapters): () => void {
  const canvas = byId<HTMLCanvasElement>('strip');
  canvas.hidden = false;
  const draw = () => {
    const marks = book.chapters.map((chapter) => chapter.marks).join('');
    const height = Math.max(100, canvas.clientHeight);
    canvas.height = height;
    const context = canvas.getContext('2d');
    if (!context || marks.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(
      Object.entries(variables).map(([mark, name]) => [mark, style.getPropertyValue(name)]),
    );
    for (let y = 0; y < height; y++) {
      const stretch = marks.slice(
        Math.floor((y * marks.length) / height),
        Math.max(1, Math.ceil(((y + 1) * marks.length) / height)),
      );
      const worst = [...order].find((mark) => stretch.includes(mark)) ?? '.';
      context.fillStyle = colours[worst] ?? '';
      context.fillRect(0, y, canvas.width, 1);
    }
    const count = (mark: string) => marks.split(mark).length - 1;
    canvas.setAttribute(
      'aria-label',
      `${marks.length} paragraphs: ${count('f')} not translated, ${count('w')} with warnings, ${count('k')} kept, ${count('c')} corrected, ${count('a')} approved`,
    );
  };
  canvas.addEventListener('click', (event) => {
    const total = book.chapters.reduce((sum, { marks }) => sum + marks.length, 0);
    let wanted = Math.floor((event.offsetY / canvas.clientHeight) * total);
    for (const [index, { marks }] of book.chapters.entries()) {
      if (wanted < marks.length) return void goTo(index, wanted);
      wanted -= marks.length;
    }
  });
  const goTo = async (index: number, row: number) => {
    await chapters.load(index);
    await chapters.goTo(index, document.querySelector(`[data-index="${index}"]`)?.children[row]?.id);
  };
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
  return draw;
}
