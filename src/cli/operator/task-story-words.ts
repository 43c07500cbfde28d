/** One task for people and, with `--json`, for machines. */

import type { TaskStory } from '../../operators/task-story.ts';
import { wireFields } from '../../wire-fields.ts';
import { columns, fields } from '../output.ts';

export function storyView(story: TaskStory) {
  const { task, work } = story;
  return {
    task_id: task.id,
    account_id: task.accountId,
    account_name: story.accountName,
    ...wireFields(task, 'action', 'status', 'stage', 'progress', 'fileName', 'sourceLang', 'detectedLang'),
    ...wireFields(task, 'targetLang', 'sandbox', 'charCount', 'estimatedCredits', 'creditsCharged', 'attempt'),
    ...wireFields(story, 'faults', 'lostAttempts', 'engineFault', 'advice'),
    error: task.error ?? null,
    error_code: task.error?.code ?? null,
    partner_metadata: task.partnerMetadata,
    chapters: { total: work.chapters, ready: work.readyChapters },
    passages: { finished: work.segments, characters: work.characters },
    engines: story.engines.map((each) =>
      wireFields(each, 'engine', 'calls', 'failedCalls', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'faults'),
    ),
    repairs: story.care.repairs,
    paragraph_faults: story.care.faults,
    untranslated: story.care.untranslated,
    outputs: story.outputs.map((output) => ({
      ...wireFields(output, 'fileId', 'fileName'),
      file_size: output.sizeBytes,
      sha256: output.sha256,
    })),
    timeline: story.timeline.map((line) => wireFields(line, 'at', 'what')),
    log: story.log.map((line) => wireFields(line, 'at', 'attempt', 'level', 'text')),
    ...wireFields(task, 'createdAt', 'endedAt', 'purgedAt'),
  };
}

export function storyInWords(story: TaskStory): string {
  const { task, work, engines, care } = story;
  const counted = { Repairs: care.repairs, 'Faults left': care.faults, Untranslated: care.untranslated };
  const credits = [task.estimatedCredits, task.creditsCharged ?? 0].map((each) => each.toLocaleString('en'));
  return [
    `${task.id}  ${task.action}  ${task.status} (${task.stage}, ${Math.floor(task.progress * 100)} %)`,
    fields({
      Account: `"${story.accountName}" ${task.accountId}${task.sandbox ? ', test key' : ''}`,
      File: `${task.fileName}, ${task.charCount.toLocaleString('en')} characters`,
      Languages: `${task.detectedLang ?? task.sourceLang} to ${task.targetLang ?? '(none)'}`,
      Credits: `${credits[0]} estimated, ${credits[1]} charged`,
      Work: `${work.segments} passages, ${work.readyChapters} of ${work.chapters} chapters ready`,
      Attempts: `${task.attempt}, ${story.faults} faults, ${story.lostAttempts} lost in a row`,
      Error: task.error && `${task.error.code}: ${task.error.message}`,
      'Engine said': story.engineFault,
      'What to do': story.advice,
    }),
    ...Object.entries(task.partnerMetadata).map(([key, value]) => `Metadata     ${key} = ${value}`),
    '',
    columns(story.timeline, { WHEN: 'at', WHAT: 'what' }),
    ...section(engines, {
      ENGINE: 'engine',
      CALLS: 'calls',
      FAILED: 'failedCalls',
      'INPUT TOKENS': 'inputTokens',
      CACHED: 'cachedInputTokens',
      'OUTPUT TOKENS': 'outputTokens',
    }),
    ...Object.entries(counted)
      .filter(([, counts]) => Object.keys(counts).length > 0)
      .map(([title, counts]) => `${title.padEnd(13)}${inWords(counts)}`),
    ...engines
      .filter(({ faults }) => Object.keys(faults).length > 0)
      .map(({ engine, faults }) => `Failed calls ${engine}: ${inWords(faults)}`),
    ...section(story.log, { LOGGED: 'at', ATTEMPT: 'attempt', LEVEL: 'level', TEXT: 'text' }),
    ...section(story.outputs, { OUTPUT: 'fileId', FILE: 'fileName', BYTES: 'sizeBytes' }),
  ].join('\n');
}

/** A table below an empty line, unless there is nothing in it. */
function section<T extends object>(rows: readonly T[], fieldOf: Record<string, keyof T & string>): string[] {
  return rows.length === 0 ? [] : ['', columns(rows, fieldOf)];
}

function inWords(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
}
