/** The wire shapes of tasks and downloads: what POST /tasks is sent, as a form and as JSON, and what the API answers. */
import Type from 'typebox';
import { maxStyleCharacters } from '../series/series-request.ts';
import { outputFileIds, requestableOutputs, usualOutputs } from '../tasks/output-files.ts';
import { stages, statuses } from '../tasks/states.ts';
import { actionNames, quoteVoids } from '../tasks/task.ts';
import { glossaryStrategyNames, maxContextCharacters } from '../tasks/task-request.ts';
import { stageDetailCodes } from '../tasks/task-view.ts';
import { integer, named, namedExact, optionalInteger, optionalText, orNull, text, timestamp } from './shapes.ts';

const GlossaryEntry = namedExact('GlossaryEntry', {
  target: Type.String(),
  type: optionalText(),
  gender: optionalText(),
  aliases: Type.Optional(Type.Array(Type.String())),
  case_sensitive: Type.Optional(Type.Boolean()),
  note: optionalText(),
});

const digits = { pattern: '^[0-9]{1,15}$' };
/** The form of POST /tasks. `task-request.ts` reads it; a test keeps the two lists of names equal. */
const taskFields = {
  action: Type.String({ enum: actionNames }),
  target_lang: optionalText('BCP-47 code from GET /languages; optional for token_estimate and preview_metadata.'),
  source_lang: optionalText('BCP-47 code; default `auto`.'),
  char_limit: optionalText({ ...digits, description: 'Process only this many opening characters.' }),
  skip_front_matter: optionalText({
    enum: ['true', 'false'],
    default: 'false',
    description:
      '`true`: the characters of char_limit begin at the first chapter of prose, behind imprint, contents and preface.',
  }),
  estimated_chars: optionalText({ ...digits, description: 'For file uploads without char_limit: credits to reserve.' }),
  glossary: optionalText(
    'JSON object: source term to translation, or to {target, type, gender, aliases, case_sensitive, note}.',
  ),
  glossary_strategy: optionalText({
    enum: [...glossaryStrategyNames],
    default: 'merge',
    description:
      '`merge`: your terms and those that are found, yours first. `replace`: yours alone. `skip`: those that are found alone.',
  }),
  accept_draft: optionalText({
    enum: ['true', 'false'],
    default: 'true',
    description:
      '`false`: a pair that only the draft engine serves is refused (400, NO_ENGINE_FOR_PAIR) instead of drafted.',
  }),
  outputs: optionalText(
    `Comma-separated files to make besides the book: ${requestableOutputs.filter((id) => id !== 'translated').join(', ')}. Default: ${usualOutputs.join(', ')}.`,
  ),
  metadata: optionalText(
    'JSON object of up to 16 strings, returned as partner_metadata; `external_id` can be searched for.',
  ),
  style: optionalText({
    maxLength: maxStyleCharacters,
    description:
      'How the translation shall read, in your words. In a series it takes the place of the style of the series. For translation, preview_translation and token_estimate.',
  }),
  context: optionalText({
    maxLength: maxContextCharacters,
    description:
      'What the translator should know: what came before, who is who, what a word means. For translation, preview_translation and token_estimate.',
  }),
  text: optionalText('The source, when it is not sent as a file.'),
  source_task_id: optionalText(
    'Instead of a file or text: take the source of an earlier task. Needs no estimated_chars.',
  ),
  series_id: optionalText('The series it belongs to: what the series remembers is reused and not charged.'),
  file_name: optionalText('A name for `text`.'),
  file: optionalText({ format: 'binary', description: 'The source: TXT, Markdown, HTML, EPUB, DOCX, FB2 or ODT.' }),
};
export const TaskForm = namedExact('TaskForm', taskFields);

/** The same fields in JSON, where numbers and objects may be what they are; a file needs a form. */
const { file: _file, ...textFields } = taskFields;
const count = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String(digits)], { description }));
export const TaskJson = namedExact('TaskJson', {
  ...textFields,
  char_limit: count('Process only this many opening characters.'),
  estimated_chars: count('Checked and otherwise ignored: text is counted at once.'),
  skip_front_matter: Type.Optional(Type.Union([Type.Boolean(), Type.String({ enum: ['true', 'false'] })])),
  accept_draft: Type.Optional(Type.Union([Type.Boolean(), Type.String({ enum: ['true', 'false'] })])),
  glossary: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Union([Type.String(), GlossaryEntry])), Type.String()], {
      description: 'Source term to translation or entry; an object, or its JSON as a string.',
    }),
  ),
  metadata: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.String()), Type.String()], {
      description: 'Up to 16 strings, returned as partner_metadata; an object, or its JSON as a string.',
    }),
  ),
});

const metadataObject = Type.Record(Type.String(), Type.String(), {
  description: 'What you sent as `metadata`, such as your own `external_id`.',
});

const Term = named('Term', {
  source: text('The name or term as the book has it.'),
  target: text('Its translation.'),
  confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How sure we are that it is a term.' }),
  type: optionalText('Such as `person`, `place` or `term`.'),
  gender: optionalText('Of a person: `female`, `male` or `unknown`.'),
  aliases: Type.Optional(Type.Array(Type.String(), { description: 'Other forms of the same name in the book.' })),
  occurrences: optionalInteger('How often it was found.'),
});

const DownloadDescriptor = named('DownloadDescriptor', {
  file_id: Type.String({ enum: [...outputFileIds], description: 'What to ask for as `file_id` of a download.' }),
  file_name: text('Made of the name of the source and the target language.'),
  url: Type.String({
    description: 'Path that answers to your Bearer key: `/api/tasks/download-file/<task_id>`.',
    examples: ['/api/tasks/download-file/task_8ta8v2q3ra4acqps0bs2qqnr8c'],
  }),
  file_size: integer('Bytes.'),
  type: Type.String({ enum: [...outputFileIds], description: 'The same word as `file_id`.' }),
  sha256: text('Checksum of the file, hexadecimal.'),
});

const Coverage = named(
  'Coverage',
  {
    total: integer('All characters of the range.'),
    translated: integer('Translated for this task, and charged.'),
    reused: optionalInteger('Remembered by the series, not charged.'),
    kept: integer('Separators, numbers and the like, which stay as they are.'),
    failed: integer('Left in the source language, not charged.'),
    untranslated: optionalInteger('Of a cancelled task: not finished by then.'),
  },
  {
    description:
      'Characters: total = translated + reused (not charged) + kept (separators, numbers) + failed (left in the source language, not charged) + untranslated.',
  },
);

const Metadata = named(
  'SourceMetadata',
  {
    file_name: Type.String({ description: 'As it was sent.', examples: ['novel.epub'] }),
    sample_characters: integer('Characters that char_limit leaves; all without one.'),
    total_characters: optionalInteger('Characters of the whole source.'),
    sample: Type.Optional(
      Type.Object(
        {
          characters: integer('Characters within it.'),
          chapters: integer('Chapters that begin within it.'),
          paragraphs: integer('Paragraphs within it.'),
        },
        { description: 'What of the source lies within char_limit. Every other field is about the whole source.' },
      ),
    ),
    format: optionalText('Told by the content: `epub`, `docx`, `odt`, `fb2`, `html`, `markdown` or `txt`.'),
    encoding: Type.Optional(orNull(Type.String(), 'Of a text file, such as `utf-8` or `gb18030`.')),
    title: Type.Optional(orNull(Type.String(), 'Of the book, when the file has one.')),
    author: Type.Optional(orNull(Type.String(), 'Of the book, when the file has one.')),
    declared_language: Type.Optional(orNull(Type.String(), 'What the file says of itself.')),
    detected_language: Type.Optional(orNull(Type.String(), 'What the text shows; null when it is too short to tell.')),
    detected_language_confidence: Type.Optional(
      orNull(Type.Number(), '0 to 1: how sure, and how much of the text agrees.'),
    ),
    chapter_count: optionalInteger('Chapters with a title; 1 where there are none.'),
    chapters: Type.Optional(
      Type.Array(
        Type.Object({
          index: integer('From 1 on.'),
          title: orNull(Type.String(), 'As the book has it.'),
          characters: integer('Counted characters of the chapter.'),
        }),
        { description: 'In the order of the book.' },
      ),
    ),
    paragraph_count: optionalInteger('Paragraphs without headings.'),
    images: optionalInteger('Images in the file.'),
    ruby: Type.Optional(Type.Boolean({ description: 'Whether readings stand above characters.', examples: [false] })),
    writing_mode: optionalText('`horizontal` or `vertical`.'),
  },
  { description: 'preview_metadata: what was found about the source.' },
);

export const TaskSchema = namedExact('Task', {
  task_id: text('Names the task in every other call.'),
  action: Type.String({ enum: actionNames, description: 'What was asked for.' }),
  status: Type.String({ enum: [...statuses], description: 'pending until the task has ended.' }),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Never falls; 1 when completed.' })),
  stage: optionalText({ enum: [...stages], description: 'What is being done now, or how it ended.' }),
  stage_detail: Type.Optional(
    named(
      'StageDetail',
      {
        code: Type.String({ enum: [...stageDetailCodes], description: 'New ones may come.' }),
        message: text('One sentence for people.'),
      },
      {
        description:
          "Only from GET /tasks/{task_id}, while a pending task does not get on: it waits for its turn (`WAITING_FOR_WORKER`), the engine does not answer (`ENGINE_UNAVAILABLE`), or the operator's budget of the day is used up (`ENGINE_BUDGET`). It goes on by itself.",
        examples: [{ code: 'WAITING_FOR_WORKER', message: 'The task waits for its turn.' }],
      },
    ),
  ),
  file_name: optionalText({ description: 'Of the source, as it was sent.', examples: ['novel.epub'] }),
  source_lang: optionalText('`auto` until detected.'),
  target_lang: optionalText('The language that was asked for.'),
  series_id: optionalText('The series that the task belongs to.'),
  char_count: integer('Source characters counted for the task.'),
  estimated_credits: optionalInteger(
    'Credits held for the task; for token_estimate the price of the run it describes.',
  ),
  quote: optionalText({
    enum: ['applied', 'void'],
    description:
      'Of a translation with a token_estimate as source_task_id. `applied`: it costs at most what the estimate said; `void`: it is priced anew, and quote_reason says why.',
  }),
  quote_reason: optionalText({
    enum: [...quoteVoids],
    description:
      'A quote is good for one translation within 7 days of its estimate, in the same series with the same style, context and terms, and with the same fields.',
  }),
  credits_charged: optionalInteger('What the task has cost; 0 when it failed.'),
  created_at: optionalText({ ...timestamp, description: 'When it was created; ISO 8601, UTC.' }),
  ended_at: optionalText({ ...timestamp, description: 'When it completed, failed or was cancelled.' }),
  purged_at: optionalText({ ...timestamp, description: 'When text and files were deleted; the record stays.' }),
  detected_language: optionalText('What the whole source shows; `und` when it cannot be told.'),
  total_characters: optionalInteger('Of the whole source, whatever char_limit says.'),
  billable_characters: optionalInteger(
    'token_estimate in a series: what one translation of it costs at most, ordered alike within 7 days.',
  ),
  reused_characters: optionalInteger('token_estimate in a series: remembered, not charged.'),
  estimated_tokens: optionalInteger('What a language model would read and write for this text.'),
  token_estimate: Type.Optional(
    named(
      'TokenEstimate',
      {
        input_tokens: integer('Read by the model, with instructions and context.'),
        output_tokens_low: integer('Written by the model, at least.'),
        output_tokens_high: integer('Written by the model, at most.'),
        segments: integer('Calls that translate.'),
      },
      { description: 'The tokens of estimated_tokens, in detail.' },
    ),
  ),
  terms: Type.Optional(Type.Array(Term, { description: 'glossary_extraction: what was found.' })),
  metadata: Type.Optional(Metadata),
  quality: optionalText({
    enum: ['standard', 'refined', 'draft', 'sandbox'],
    description:
      '`refined`: a second engine has edited the translation; `draft`: made by the engine that comes with the service, to be read beside the source; `sandbox`: invented words, no translation.',
  }),
  coverage: Type.Optional(Coverage),
  warnings: Type.Optional(
    Type.Array(
      named('TaskWarning', {
        code: Type.String({ description: 'A stable word to match on.', examples: ['SAME_LANGUAGE'] }),
        message: Type.String({
          description: 'The same for people.',
          examples: ['The text seems to be in the target language already.'],
        }),
        count: optionalInteger('How many places it is about.'),
      }),
      { description: 'What you should know about a task that did not fail.' },
    ),
  ),
  error: Type.Optional(
    named(
      'TaskFault',
      {
        code: Type.String({ description: 'A stable word to match on.', examples: ['NO_ENGINE_FOR_PAIR'] }),
        message: Type.String({
          description: 'What happened and what can be done, for people.',
          examples: ['This service does not translate from Japanese into English. Choose a pair of GET /languages.'],
        }),
        retryable: Type.Boolean({ description: 'Whether the same order may succeed later.', examples: [false] }),
      },
      { description: 'Why the task failed. It has cost nothing.' },
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
});

export const TaskListSchema = Type.Object({
  tasks: Type.Array(TaskSchema),
  next_cursor: orNull(Type.String()),
});

export const DownloadResult = named('DownloadResult', {
  download_url: text('Absolute and signed; reusable, with Range and HEAD, until it expires.'),
  expires_in: integer('Seconds.'),
  file_name: Type.String(),
  file_size: integer('Bytes.'),
  sha256: Type.String(),
});
