/** Readings of ruby, put above or beside their words after names and tags have been marked. */
import { element } from './dom.ts';
import type { Ruby } from './reader-data.ts';

/** A word that a tag or a name cuts in two keeps its text and loses its reading. The ones after it are found all the same. */
const lookAhead = 4;

export function addRuby(cell: HTMLElement, readings: readonly Ruby[]): void {
  cell.classList.add('has-ruby');
  const left = [...readings];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) annotate(text, left);
}

function annotate(text: Text, left: Ruby[]): void {
  let rest = text;
  for (;;) {
    const places = left.slice(0, lookAhead).map(({ base }) => rest.data.indexOf(base));
    const next = places.findIndex((at) => at >= 0);
    const ruby = left[next];
    if (!ruby) return;
    left.splice(0, next + 1);
    const word = rest.splitText(places[next] as number);
    rest = word.splitText(ruby.base.length);
    const annotated = element('ruby');
    word.replaceWith(annotated);
    annotated.append(word, element('rt', {}, ruby.reading));
  }
}
