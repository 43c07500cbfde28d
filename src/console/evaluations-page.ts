import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { evaluationBody } from '../evaluation/evaluation-page.ts';
import { listEvaluations, readEvaluation, removeEvaluation } from '../evaluation/evaluation-store.ts';
import { pairInWords } from '../evaluation/evaluation-words.ts';
import { html } from '../pages/html.ts';
import { moment, number, table } from '../pages/parts.ts';
import { disclosedForm } from '../pages/work-page.ts';
import { type ConsoleRoutes, type ConsoleServices, param, type Show } from './console-routes.ts';

const path = '/console/evaluations';

/** Which engine translates best: what `toledo evaluate` has found, and the passages to read blind. */
export function registerEvaluationsPage({ page, change }: ConsoleRoutes, { db }: ConsoleServices): void {
  const list: Show = async () => {
    const evaluations = await listEvaluations(db);
    const body = html`<h1>Evaluations</h1>
<p class="muted">Engines side by side on passages of a book, newest first; the last 50 are kept. Make one with <code>npx toledo evaluate BOOK --to LANG</code>.</p>
${table(
  ['When', 'Book', 'Languages', 'Engines, the best first', 'Judge', 'Characters'],
  evaluations.map(({ id, at, evaluation: { book, engines, judge } }) => [
    html`<a href="${path}/${id}">${moment(at)}</a>`,
    html`<span class="breakable">${book.title ?? book.file}</span>`,
    pairInWords(book),
    engines.map(({ engine }) => engine).join(', '),
    judge?.engine ?? '',
    number(book.characters),
  ]),
  'No engines have been compared yet.',
)}`;
    return { title: 'Evaluations', section: 'evaluations', body };
  };
  page('/evaluations', list);
  page('/evaluations/:id', async (request, frame) => {
    const found = await readEvaluation(db, numberOf(request));
    if (found === undefined) throw new AppError('NOT_FOUND', 'There is no such evaluation.');
    const { id, at, evaluation } = found;
    const body = html`<p class="small"><a href="${path}">All evaluations</a></p><h1>Evaluation ${id}</h1><p>${moment(at)}</p>
${evaluationBody(evaluation)}
${disclosedForm(frame, 'Remove', `${path}/${id}/remove`, html`<p>Its figures and passages are deleted.</p><button class="danger">Remove this evaluation</button>`)}`;
    return { title: `Evaluation ${id}`, section: 'evaluations', body, styles: ['evaluation.css'] };
  });
  change('/evaluations/:id/remove', list, async (request) => {
    if (!(await removeEvaluation(db, numberOf(request))))
      throw new AppError('NOT_FOUND', 'There is no such evaluation.');
    return { goTo: path };
  });
}

/** 0 is the number of none. */
function numberOf(request: FastifyRequest): number {
  const id = param(request, 'id');
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0;
}
