/**
 * An evaluation to read: figures, and the passages blind. Who wrote what shows as soon as the reader has chosen, by the style sheet alone.
 * It needs no script, so that the same markup serves the console and a file that is opened from a disk.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Html, html, trusted } from '../pages/html.ts';
import { table } from '../pages/parts.ts';
import type { EvaluatedPassage, Evaluation } from './evaluation.ts';
import { engineRows, figureHeadings, pairInWords, remarks } from './evaluation-words.ts';

/** The body of the console's page, and of the file. */
export function evaluationBody(evaluation: Evaluation): Html {
  const { book, engines, passages, sheet } = evaluation;
  const figures = table(
    figureHeadings(evaluation),
    engineRows(evaluation).map((row) => row.map(String)),
    'No engine was asked.',
  );
  const blind = engines.filter(({ failure }) => failure === null).map(({ engine }) => engine);
  return html`<p class="muted">${book.title ?? book.file}, ${pairInWords(book)}, ${book.characters.toLocaleString('en')} characters in ${passages.length} passages.</p>
<h2>Read it blind</h2>
<p class="muted">Choose the best translation of each passage; then its names show. The figures and your own count stand below.</p>
<div class="blind">${passages.map((passage, at) => passageView(passage, at, blind))}
${tallyView(blind)}
<details class="disclosed"><summary>Figures of the evaluation</summary>${figures}
${remarks(evaluation).map((remark) => html`<p>${remark}</p>`)}</details></div>
${sheet ? html`<details class="disclosed"><summary>Sheet of the book, written by ${sheet.written_by}</summary><div class="blind-source">${sheet.decisions.map((line) => html`<p>${line}</p>`)}</div></details>` : ''}`;
}

function passageView({ kind, source, translations }: EvaluatedPassage, at: number, engines: readonly string[]): Html {
  const paragraphs = (texts: readonly string[]): Html[] => texts.map((text) => html`<p>${text}</p>`);
  const order = orderFor(engines, at);
  return html`<fieldset class="blind-passage"><legend>Passage ${at + 1}: ${kind}</legend>
<details class="blind-source" open><summary>Source</summary>${paragraphs(source)}</details>
<div class="blind-columns">${order.map(
    (
      engine,
      place,
    ) => html`<section aria-label="Translation ${letterOf(place)}"><h3>${letterOf(place)} <span class="blind-name">${engine}</span></h3>
${paragraphs(translations[engine] ?? [])}</section>`,
  )}</div>
<p class="blind-choice">${order.map(
    (engine, place) =>
      html`<label><input type="radio" name="passage-${at}" value="${engine}" class="blind-vote blind-engine-${engines.indexOf(engine)}"> ${letterOf(place)} is best</label> `,
  )}<label><input type="radio" name="passage-${at}" value="" class="blind-vote"> no difference</label></p></fieldset>`;
}

/** The order in which a passage shows its translations: another one for each passage, the same whenever it is shown. */
function orderFor(engines: readonly string[], passage: number): string[] {
  const rank = (engine: string): string => createHash('sha256').update(`${passage} ${engine}`).digest('hex');
  return engines.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Counted by the style sheet, from what is chosen above it. */
function tallyView(engines: readonly string[]): Html {
  return html`<h3>Your count</h3><dl class="facts blind-tally">${engines.map(
    (engine, at) => html`<div><dt>${engine}</dt><dd class="blind-count blind-engine-${at}"></dd></div>`,
  )}</dl>`;
}

function letterOf(place: number): string {
  return String.fromCharCode(65 + place);
}

/** One file that needs nothing else. */
export function evaluationFile(evaluation: Evaluation): string {
  const { book } = evaluation;
  const style = ['base.css', 'console.css', 'evaluation.css'].map(readStyle).join('\n');
  const title = `${book.title ?? book.file}: which translation is best?`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${trusted(style.replaceAll('</', '<\\/'))}</style></head>
<body><main class="blind-page" id="main"><h1>${title}</h1>${evaluationBody(evaluation)}</main></body></html>
`.text;
}

function readStyle(name: string): string {
  return readFileSync(new URL(`../pages/assets/${name}`, import.meta.url), 'utf8');
}
