/** What the API answers about tasks, downloads and the ledger. `task-form.ts` has what it is sent. */
import Type from 'typebox';
import { outputFileIds } from '../tasks/output-files.ts';
import { stages, statuses } from '../tasks/states.ts';
import { actionNames, quoteVoids } from '../tasks/task.ts';
import { stageDetailCodes } from '../tasks/task-view.ts';
import { named } from './schemas.ts';

const timestamp = { format: 'date-time', description: 'ISO 8601, UTC.' };
const metadataObject = Type.Record(Type.String(), Type.String(), {
  description: 'What you sent as `metadata`, such as your own `external_id`.',
});

const Term = named(
  'Term',
  Type.Object({
    source: Type.String({ description: 'The name or term as the book has it.' }),
    target: Type.String({ description: 'Its translation.' }),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How sure we are that it is a term.' }),
    type: Type.Optional(Type.String({ description: 'Such as `person`, `place` or `term`.' })),
    gender: Type.Optional(Type.String({ description: 'Of a person: `female`, `male` or `unknown`.' })),
    aliases: Type.Optional(Type.Array(Type.String(), { description: 'Other forms of the same name in the book.' })),
    occurrences: Type.Optional(Type.Integer({ description: 'How often it was found.' })),
  }),
);

const DownloadDescriptor = named(
  'DownloadDescriptor',
  Type.Object({
    file_id: Type.String({ enum: [...outputFileIds], description: 'What to ask for as `file_id` of a download.' }),
    file_name: Type.String({ description: 'Made of the name of the source and the target language.' }),
    url: Type.String({
      description: 'Path that answers to your Bearer key: `/api/tasks/download-file/<task_id>`.',
      examples: ['/api/tasks/download-file/task_8ta8v2q3ra4acqps0bs2qqnr8c'],
    }),
    file_size: Type.Integer({ description: 'Bytes.' }),
    type: Type.String({ enum: [...outputFileIds], description: 'The same word as `file_id`.' }),
    sha256: Type.String({ description: 'Checksum of the file, hexadecimal.' }),
  }),
);

const Coverage = named(
  'Coverage',
  Type.Object(
    {
      total: Type.Integer({ description: 'All characters of the range.' }),
      translated: Type.Integer({ description: 'Translated for this task, and charged.' }),
      reused: Type.Optional(Type.Integer({ description: 'Remembered by the series, not charged.' })),
      kept: Type.Integer({ description: 'Separators, numbers and the like, which stay as they are.' }),
      failed: Type.Integer({ description: 'Left in the source language, not charged.' }),
      untranslated: Type.Optional(Type.Integer({ description: 'Of a cancelled task: not finished by then.' })),
    },
    {
      description:
        'Characters: total = translated + reused (not charged) + kept (separators, numbers) + failed (left in the source language, not charged) + untranslated.',
    },
  ),
);

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Metadata = named(
  'SourceMetadata',
  Type.Object(
    {
      file_name: Type.String({ description: 'As it was sent.', examples: ['novel.epub'] }),
      sample_characters: Type.Integer({ description: 'Characters that char_limit leaves; all without one.' }),
      total_characters: Type.Optional(Type.Integer({ description: 'Characters of the whole source.' })),
      sample: Type.Optional(
        Type.Object(
          {
            characters: Type.Integer({ description: 'Characters within it.' }),
            chapters: Type.Integer({ description: 'Chapters that begin within it.' }),
            paragraphs: Type.Integer({ description: 'Paragraphs within it.' }),
          },
          { description: 'What of the source lies within char_limit. Every other field is about the whole source.' },
        ),
      ),
      format: Type.Optional(
        Type.String({ description: 'Told by the content: `epub`, `docx`, `odt`, `fb2`, `html`, `markdown` or `txt`.' }),
      ),
      encoding: Type.Optional(textOrNull('Of a text file, such as `utf-8` or `gb18030`.')),
      title: Type.Optional(textOrNull('Of the book, when the file has one.')),
      author: Type.Optional(textOrNull('Of the book, when the file has one.')),
      declared_language: Type.Optional(textOrNull('What the file says of itself.')),
      detected_language: Type.Optional(textOrNull('What the text shows; null when it is too short to tell.')),
      detected_language_confidence: Type.Optional(
        Type.Union([Type.Number(), Type.Null()], { description: '0 to 1: how sure, and how much of the text agrees.' }),
      ),
      chapter_count: Type.Optional(Type.Integer({ description: 'Chapters with a title; 1 where there are none.' })),
      chapters: Type.Optional(
        Type.Array(
          Type.Object({
            index: Type.Integer({ description: 'From 1 on.' }),
            title: textOrNull('As the book has it.'),
            characters: Type.Integer({ description: 'Counted characters of the chapter.' }),
          }),
          { description: 'In the order of the book.' },
        ),
      ),
      paragraph_count: Type.Optional(Type.Integer({ description: 'Paragraphs without headings.' })),
      images: Type.Optional(Type.Integer({ description: 'Images in the file.' })),
      ruby: Type.Optional(Type.Boolean({ description: 'Whether readings stand above characters.', examples: [false] })),
      writing_mode: Type.Optional(Type.String({ description: '`horizontal` or `vertical`.' })),
    },
    { description: 'preview_metadata: what was found about the source.' },
  ),
);

export const TaskSchema = named(
  'Task',
  Type.Object(
    {
      task_id: Type.String({ description: 'Names the task in every other call.' }),
      action: Type.String({ enum: actionNames, description: 'What was asked for.' }),
      status: Type.String({ enum: [...statuses], description: 'pending until the task has ended.' }),
      progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Never falls; 1 when completed.' })),
      stage: Type.Optional(Type.String({ enum: [...stages], description: 'What is being done now, or how it ended.' })),
      stage_detail: Type.Optional(
        named(
          'StageDetail',
          Type.Object(
            {
              code: Type.String({ enum: [...stageDetailCodes], description: 'New ones may come.' }),
              message: Type.String({ description: 'One sentence for people.' }),
            },
            {
              description:
                "Only from GET /tasks/{task_id}, while a pending task does not get on: it waits for its turn (`WAITING_FOR_WORKER`), the engine does not answer (`ENGINE_UNAVAILABLE`), or the operator's budget of the day is used up (`ENGINE_BUDGET`). It goes on by itself.",
              examples: [{ code: 'WAITING_FOR_WORKER', message: 'The task waits for its turn.' }],
            },
          ),
        ),
      ),
      file_name: Type.Optional(
        Type.String({ description: 'Of the source, as it was sent.', examples: ['novel.epub'] }),
      ),
      source_lang: Type.Optional(Type.String({ description: '`auto` until detected.' })),
      target_lang: Type.Optional(Type.String({ description: 'The language that was asked for.' })),
      series_id: Type.Optional(Type.String({ description: 'The series that the task belongs to.' })),
      char_count: Type.Integer({ description: 'Source characters counted for the task.' }),
      estimated_credits: Type.Optional(
        Type.Integer({
          description: 'Credits held for the task; for token_estimate the price of the run it describes.',
        }),
      ),
      quote: Type.Optional(
        Type.String({
          enum: ['applied', 'void'],
          description:
            'Of a translation with a token_estimate as source_task_id. `applied`: it costs at most what the estimate said; `void`: it is priced anew, and quote_reason says why.',
        }),
      ),
      quote_reason: Type.Optional(
        Type.String({
          enum: [...quoteVoids],
          description:
            'A quote is good for one translation within 7 days of its estimate, in the same series with the same style, context and terms, and with the same fields.',
        }),
      ),
      credits_charged: Type.Optional(Type.Integer({ description: 'What the task has cost; 0 when it failed.' })),
      created_at: Type.Optional(Type.String({ ...timestamp, description: 'When it was created; ISO 8601, UTC.' })),
      ended_at: Type.Optional(
        Type.String({ ...timestamp, description: 'When it completed, failed or was cancelled.' }),
      ),
      purged_at: Type.Optional(
        Type.String({ ...timestamp, description: 'When text and files were deleted; the record stays.' }),
      ),
      detected_language: Type.Optional(
        Type.String({ description: 'What the whole source shows; `und` when it cannot be told.' }),
      ),
      total_characters: Type.Optional(Type.Integer({ description: 'Of the whole source, whatever char_limit says.' })),
      billable_characters: Type.Optional(
        Type.Integer({
          description:
            'token_estimate in a series: what one translation of it costs at most, ordered alike within 7 days.',
        }),
      ),
      reused_characters: Type.Optional(
        Type.Integer({ description: 'token_estimate in a series: remembered, not charged.' }),
      ),
      estimated_tokens: Type.Optional(
        Type.Integer({ description: 'What a language model would read and write for this text.' }),
      ),
      token_estimate: Type.Optional(
        named(
          'TokenEstimate',
          Type.Object(
            {
              input_tokens: Type.Integer({ description: 'Read by the model, with instructions and context.' }),
              output_tokens_low: Type.Integer({ description: 'Written by the model, at least.' }),
              output_tokens_high: Type.Integer({ description: 'Written by the model, at most.' }),
              segments: Type.Integer({ description: 'Calls that translate.' }),
            },
            { description: 'The tokens of estimated_tokens, in detail.' },
          ),
        ),
      ),
      terms: Type.Optional(Type.Array(Term, { description: 'glossary_extraction: what was found.' })),
      metadata: Type.Optional(Metadata),
      quality: Type.Optional(
        Type.String({
          enum: ['standard', 'refined', 'draft', 'sandbox'],
          description:
            '`refined`: a second engine has edited the translation; `draft`: made by the engine that comes with the service, to be read beside the source; `sandbox`: invented words, no translation.',
        }),
      ),
      coverage: Type.Optional(Coverage),
      warnings: Type.Optional(
        Type.Array(
          named(
            'TaskWarning',
            Type.Object({
              code: Type.String({ description: 'A stable word to match on.', examples: ['SAME_LANGUAGE'] }),
              message: Type.String({
                description: 'The same for people.',
                examples: ['The text seems to be in the target language already.'],
              }),
              count: Type.Optional(Type.Integer({ description: 'How many places it is about.' })),
            }),
          ),
          { description: 'What you should know about a task that did not fail.' },
        ),
      ),
      error: Type.Optional(
        named(
          'TaskFault',
          Type.Object(
            {
              code: Type.String({ description: 'A stable word to match on.', examples: ['NO_ENGINE_FOR_PAIR'] }),
              message: Type.String({
                description: 'What happened and what can be done, for people.',
                examples: [
                  'This service does not translate from Japanese into English. Choose a pair of GET /languages.',
                ],
              }),
              retryable: Type.Boolean({ description: 'Whether the same order may succeed later.', examples: [false] }),
            },
            { description: 'Why the task failed. It has cost nothing.' },
          ),
        ),
      ),
      download_files: Type.Optional(
        Type.Array(DownloadDescriptor, { description: 'The files of an ended task, until they are purged.' }),
      ),
      partner_metadata: Type.Optional(metadataObject),
      livemode: Type.Optional(
        Type.Literal(false, {
          description: 'Only on tasks of a test key (`tol_test_…`): sandbox text, no credits moved.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
);

export const TaskListSchema = Type.Object({
  tasks: Type.Array(TaskSchema),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export const DownloadResult = named(
  'DownloadResult',
  Type.Object({
    download_url: Type.String({ description: 'Absolute and signed; reusable, with Range and HEAD, until it expires.' }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    file_name: Type.String(),
    file_size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String(),
  }),
);

export const LedgerPage = Type.Object({
  lines: Type.Array(
    named(
      'LedgerLine',
      Type.Object({
        entry_id: Type.Integer(),
        kind: Type.String({ enum: ['top_up', 'hold', 'charge', 'release', 'refund'] }),
        credits: Type.Integer({ minimum: 1 }),
        task_id: Type.Union([Type.String(), Type.Null()]),
        external_id: Type.Union([Type.String(), Type.Null()]),
        reference: Type.Union([Type.String(), Type.Null()]),
        created_at: Type.String(timestamp),
      }),
    ),
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
