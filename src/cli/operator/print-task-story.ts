/** One task for people and, with `--json`, for machines. */

import type { TaskStory } from '../../operators/task-story.ts';
import { wireFields } from '../../wire-fields.ts';
import { printLine, printTable } from '../output.ts';

export function storyView(story: TaskStory) {
  const { task, work } = story;
  return {
    task_id: task.id,
    account_id: task.accountId,
    account_name: story.accountName,
    ...wireFields(
      task,
      'action',
      'status',
      'stage',
      'progress',
      'fileName',
      'sourceLang',
      'detectedLang',
      'targetLang',
    ),
    ...wireFields(task, 'sandbox', 'charCount', 'estimatedCredits', 'creditsCharged', 'attempt'),
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
    outputs: story.outputs.map(({ fileId, fileName, sizeBytes, sha256 }) => ({
      file_id: fileId,
      file_name: fileName,
      file_size: sizeBytes,
      sha256,
    })),
    timeline: story.timeline.map((line) => wireFields(line, 'at', 'what')),
    log: story.log.map((line) => wireFields(line, 'at', 'attempt', 'level', 'text')),
    ...wireFields(task, 'createdAt', 'endedAt', 'purgedAt'),
  };
}

export function printStory(story: TaskStory): void {
  const { task, work } = story;
  printLine(`${task.id}  ${task.action}  ${task.status} (${task.stage}, ${Math.floor(task.progress * 100)} %)`);
  printLine(`Account      "${story.accountName}" ${task.accountId}${task.sandbox ? ', test key' : ''}`);
  printLine(`File         ${task.fileName}, ${task.charCount.toLocaleString('en')} characters`);
  printLine(`Languages    ${task.detectedLang ?? task.sourceLang} to ${task.targetLang ?? '(none)'}`);
  printLine(
    `Credits      ${task.estimatedCredits.toLocaleString('en')} estimated, ${(task.creditsCharged ?? 0).toLocaleString('en')} charged`,
  );
  printLine(`Work         ${work.segments} passages, ${work.readyChapters} of ${work.chapters} chapters ready`);
  printLine(`Attempts     ${task.attempt}, ${story.faults} faults, ${story.lostAttempts} lost in a row`);
  if (task.error) printLine(`Error        ${task.error.code}: ${task.error.message}`);
  if (story.engineFault !== undefined) printLine(`Engine said  ${story.engineFault}`);
  if (story.advice !== undefined) printLine(`What to do   ${story.advice}`);
  for (const [key, value] of Object.entries(task.partnerMetadata)) printLine(`Metadata     ${key} = ${value}`);
  printLine();
  printTable(
    ['WHEN', 'WHAT'],
    story.timeline.map(({ at, what }) => [at.toISOString(), what]),
  );
  if (story.engines.length > 0) {
    printLine();
    printTable(
      ['ENGINE', 'CALLS', 'FAILED', 'INPUT TOKENS', 'CACHED', 'OUTPUT TOKENS'],
      story.engines.map(({ engine, calls, failedCalls, inputTokens, cachedInputTokens, outputTokens }) => [
        ...[engine, calls, failedCalls, inputTokens, cachedInputTokens, outputTokens],
      ]),
    );
  }
  for (const [title, counts] of [
    ['Repairs', story.care.repairs],
    ['Faults left', story.care.faults],
    ['Untranslated', story.care.untranslated],
  ] as const)
    if (Object.keys(counts).length > 0) printLine(`${title.padEnd(13)}${inWords(counts)}`);
  for (const { engine, faults } of story.engines)
    if (Object.keys(faults).length > 0) printLine(`Failed calls ${engine}: ${inWords(faults)}`);
  if (story.log.length > 0) {
    printLine();
    printTable(
      ['LOGGED', 'ATTEMPT', 'LEVEL', 'TEXT'],
      story.log.map(({ at, attempt, level, text }) => [at.toISOString(), attempt, level, text]),
    );
  }
  if (story.outputs.length > 0) {
    printLine();
    printTable(
      ['OUTPUT', 'FILE', 'BYTES'],
      story.outputs.map(({ fileId, fileName, sizeBytes }) => [fileId, fileName, sizeBytes]),
    );
  }
}

function inWords(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
}
