/**
 * Examples of answers, in the OpenAPI document and on the reference pages. Those about tasks are as a fresh service with the sandbox
 * engine gave them; the others are made from their schemas. A test validates each.
 */
import { exampleValue } from './example-value.ts';
import { type OpenapiDocument, operationsOf } from './openapi-types.ts';

/** Adds an example to every good answer of the document. */
export function withAnswers<T extends object>(openapi: T): T {
  const document = openapi as unknown as OpenapiDocument;
  for (const { operation } of operationsOf(document)) {
    const good = operation.responses['200'] ?? operation.responses['201'];
    const content = good?.content?.['application/json'];
    if (content)
      content.example = taskAnswers[operation.operationId] ?? exampleValue(content.schema, document.components.schemas);
  }
  return openapi;
}

const taskId = 'task_8ta8v2q3ra4acqps0bs2qqnr8c';
const createdAt = '2026-11-15T08:30:00.000Z';
const answer = (data: object) => ({ success: true, data });

const file = (fileId: string, name: string, size: number) => ({
  file_id: fileId,
  file_name: name,
  url: `/api/tasks/download-file/${taskId}${fileId === 'translated' ? '' : `?file_id=${fileId}`}`,
  file_size: size,
  type: fileId,
  sha256: '9f2b1c6de7b4a0d6a5c1f1f0f6a7ce2e3d1a3f0a5ec6b1f0c8f7d2b4a6e8c013',
});

const pendingTask = {
  task_id: taskId,
  status: 'pending',
  action: 'translation',
  file_name: 'novel.epub',
  source_lang: 'auto',
  target_lang: 'en',
  char_count: 418204,
  estimated_credits: 420000,
  created_at: createdAt,
  partner_metadata: { external_id: 'order-4711' },
};

const completedTask = {
  task_id: taskId,
  action: 'translation',
  status: 'completed',
  progress: 1,
  stage: 'completed',
  file_name: 'novel.epub',
  source_lang: 'es',
  target_lang: 'en',
  char_count: 418204,
  estimated_credits: 420000,
  credits_charged: 418204,
  created_at: createdAt,
  ended_at: '2026-11-15T09:04:12.000Z',
  coverage: { total: 418204, translated: 417921, kept: 283, failed: 0 },
  warnings: [],
  download_files: [
    file('translated', 'novel.en.epub', 734112),
    file('bilingual', 'novel.en.bilingual.epub', 1106240),
    file('glossary', 'novel.en.glossary.csv', 6310),
    file('report', 'novel.en.report.json', 20981),
  ],
  partner_metadata: { external_id: 'order-4711' },
};

const taskAnswers: Readonly<Record<string, object>> = {
  remakeBook: answer({
    ...completedTask,
    download_files: [...completedTask.download_files, file('corrected', 'novel.en.corrected.epub', 734180)],
  }),
  createTask: answer(pendingTask),
  getTask: answer(completedTask),
  listTasks: answer({ tasks: [{ ...completedTask, download_files: undefined }], next_cursor: null }),
  getDownload: answer({
    download_url: `http://127.0.0.1:8080/api/tasks/download-file/${taskId}?file_id=translated&key=key_…&expires=1794735000&signature=…`,
    expires_in: 900,
    file_name: 'novel.en.epub',
    file_size: 734112,
    sha256: '9f2b1c6de7b4a0d6a5c1f1f0f6a7ce2e3d1a3f0a5ec6b1f0c8f7d2b4a6e8c013',
  }),
  cancelTask: answer({
    ...completedTask,
    status: 'cancelled',
    stage: 'cancelled',
    progress: 0.41,
    credits_charged: 171463,
    coverage: undefined,
    warnings: undefined,
    download_files: undefined,
  }),
  deleteTask: answer({ ...completedTask, download_files: undefined, purged_at: '2026-11-15T10:00:00.000Z' }),
};

/** One way to use POST /tasks. */
export interface ActionSample {
  summary: string;
  fields: Readonly<Record<string, string | number>>;
  answer: object;
}

export const actionSamples: Readonly<Record<string, ActionSample>> = {
  translation: {
    summary:
      'Translates the whole source. `estimated_chars` reserves the credits of a file; with `char_limit` instead, only the opening is translated.',
    fields: { action: 'translation', target_lang: 'en', estimated_chars: 420000 },
    answer: answer(pendingTask),
  },
  preview_translation: {
    summary: 'Translates an opening sample of `char_limit` characters, 3,000 unless told.',
    fields: { action: 'preview_translation', target_lang: 'en', char_limit: 3000 },
    answer: answer({ ...pendingTask, action: 'preview_translation', char_count: 3000, estimated_credits: 3000 }),
  },
  token_estimate: {
    summary: 'Free. Counts the characters and prices the run; poll it for the tokens.',
    fields: { action: 'token_estimate', target_lang: 'en', estimated_chars: 420000 },
    answer: answer({
      ...pendingTask,
      action: 'token_estimate',
      source_lang: undefined,
      estimated_credits: 418204,
      partner_metadata: {},
    }),
  },
  glossary_extraction: {
    summary: 'Finds names and terms with their translations. With a `char_limit` up to 50,000 it answers at once.',
    fields: { action: 'glossary_extraction', target_lang: 'en', char_limit: 2000 },
    answer: answer({
      task_id: taskId,
      action: 'glossary_extraction',
      status: 'completed',
      progress: 1,
      char_count: 2000,
      credits_charged: 2000,
      terms: [
        {
          source: 'Inés Robledo',
          target: 'Inés Robledo',
          confidence: 0.85,
          type: 'person',
          gender: 'female',
          aliases: ['Inés'],
          occurrences: 6,
        },
      ],
      detected_language: 'es',
      partner_metadata: {},
    }),
  },
  preview_metadata: {
    summary: 'Free. Detects the language and lists the chapters. With a `char_limit` up to 50,000 it answers at once.',
    fields: { action: 'preview_metadata', char_limit: 20000 },
    answer: answer({
      task_id: taskId,
      action: 'preview_metadata',
      status: 'completed',
      progress: 1,
      source_lang: 'es',
      char_count: 3256,
      detected_language: 'es',
      metadata: {
        file_name: 'novel.epub',
        format: 'epub',
        title: 'El Faro de Sal',
        author: 'Elena Quiroga Paz',
        sample_characters: 3256,
        total_characters: 3256,
        chapter_count: 2,
        chapters: [
          { index: 1, title: 'La carta', characters: 1580 },
          { index: 2, title: 'La travesía', characters: 1676 },
        ],
      },
      partner_metadata: {},
    }),
  },
};
