/** What POST /tasks is sent, as a form and as JSON. */
import Type from 'typebox';
import { maxStyleCharacters } from '../series/series-request.ts';
import { requestableOutputs, usualOutputs } from '../tasks/output-files.ts';
import { actionNames } from '../tasks/task.ts';
import { glossaryStrategyNames, maxContextCharacters } from '../tasks/task-request.ts';
import { namedExact, optionalText } from './shapes.ts';

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
