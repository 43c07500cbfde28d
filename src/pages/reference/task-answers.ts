/**
 * Examples of answers, in the OpenAPI document and on the reference pages. Those about tasks are as a fresh service with the sandbox
 * engine gave them; the others are made from their schemas. A test validates each.
 */
import { exampleValue } from './example-value.ts';
import { type OpenapiDocument, operationsOf } from './openapi-types.ts';
import examples from './task-answers.json' with { type: 'json' };

/** Adds an example to every good answer of the document. */
export function withAnswers<T extends object>(openapi: T): T {
  const document = openapi as unknown as OpenapiDocument;
  for (const { operation } of operationsOf(document)) {
    const good = operation.responses['200'] ?? operation.responses['201'];
    const content = good?.content?.['application/json'];
    if (!content) continue;
    const data = taskAnswers[operation.operationId];
    content.example = data ? { success: true, data } : exampleValue(content.schema, document.components.schemas);
  }
  return openapi;
}

/** One way to use POST /tasks. */
export interface ActionSample {
  summary: string;
  fields: Readonly<Record<string, string | number>>;
  answer: object;
}

export const actionSamples: Readonly<Record<string, ActionSample>> = examples.actions;

const { actions, completedTask, correctedFile, downloadLink } = examples;
const withoutFiles = { ...completedTask, download_files: undefined };

const taskAnswers: Readonly<Record<string, object>> = {
  remakeBook: { ...completedTask, download_files: [...completedTask.download_files, correctedFile] },
  createTask: actions.translation.answer.data,
  getTask: completedTask,
  listTasks: { tasks: [withoutFiles], next_cursor: null },
  getDownload: downloadLink,
  cancelTask: {
    ...withoutFiles,
    ...{ status: 'cancelled', stage: 'cancelled', progress: 0.41, credits_charged: 171463 },
    ...{ coverage: undefined, warnings: undefined },
  },
  deleteTask: { ...withoutFiles, purged_at: '2026-11-15T10:00:00.000Z' },
};
