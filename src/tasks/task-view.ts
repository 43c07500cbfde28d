/** How a task is shown: the fields of the specification per action and stage, and a few additive ones. `http/task-schemas.ts` documents them. */
import { isDownloadable } from './output-files.ts';
import { type Action, actions, type ShownTask, sourceLangOf, type TaskOutput } from './task.ts';

/** Why a pending task waits. */
export interface StageDetail {
  code: (typeof stageDetailCodes)[number];
  message: string;
}

export const stageDetailCodes = ['WAITING_FOR_WORKER', 'ENGINE_UNAVAILABLE', 'ENGINE_BUDGET'] as const;

/** The answer of POST /tasks. */
export function createdView(task: ShownTask) {
  if (actions[task.action].inline && task.status !== 'pending') return inlineView(task);
  return {
    task_id: task.id,
    status: task.status,
    action: task.action,
    file_name: task.fileName,
    ...(task.action === 'token_estimate' ? {} : { source_lang: sourceLangOf(task) ?? 'auto' }),
    ...(task.targetLang === undefined ? {} : { target_lang: task.targetLang }),
    ...(task.seriesId === undefined ? {} : { series_id: task.seriesId }),
    char_count: task.charCount,
    estimated_credits: task.estimatedCredits,
    ...quoteFields(task),
    created_at: task.createdAt.toISOString(),
    partner_metadata: task.partnerMetadata,
    ...testMark(task),
  };
}

function inlineView(task: ShownTask) {
  return {
    task_id: task.id,
    action: task.action,
    status: task.status,
    progress: task.progress,
    ...(task.action === 'preview_metadata' ? { source_lang: sourceLangOf(task) ?? 'auto' } : {}),
    char_count: task.charCount,
    ...(task.action === 'glossary_extraction' ? { credits_charged: task.creditsCharged ?? 0 } : {}),
    ...resultFields(task),
    ...(task.error ? { error: task.error } : {}),
    partner_metadata: task.partnerMetadata,
    ...testMark(task),
  };
}

/** The answer of GET /tasks/{task_id}. */
export function taskView(task: ShownTask, outputs: readonly TaskOutput[], stageDetail?: StageDetail) {
  const files = outputs.filter(({ fileId }) => isDownloadable(fileId));
  return {
    task_id: task.id,
    action: task.action,
    status: task.status,
    progress: task.progress,
    stage: task.stage,
    ...(stageDetail === undefined ? {} : { stage_detail: stageDetail }),
    file_name: task.fileName,
    source_lang: sourceLangOf(task) ?? 'auto',
    ...(task.targetLang === undefined ? {} : { target_lang: task.targetLang }),
    ...(task.seriesId === undefined ? {} : { series_id: task.seriesId }),
    char_count: task.charCount,
    estimated_credits: task.estimatedCredits,
    ...quoteFields(task),
    ...(task.creditsCharged === undefined ? {} : { credits_charged: task.creditsCharged }),
    created_at: task.createdAt.toISOString(),
    ...(task.endedAt ? { ended_at: task.endedAt.toISOString() } : {}),
    ...(task.purgedAt ? { purged_at: task.purgedAt.toISOString() } : {}),
    ...resultFields(task),
    ...(task.error ? { error: task.error } : {}),
    ...(files.length > 0 && !task.purgedAt
      ? { download_files: files.map((output) => downloadDescriptor(task.id, output)) }
      : {}),
    partner_metadata: task.partnerMetadata,
    ...testMark(task),
  };
}

function quoteFields({ quoteTaskId, quoteVoid }: ShownTask) {
  if (quoteTaskId !== undefined) return { quote: 'applied' };
  return quoteVoid === undefined ? {} : { quote: 'void', quote_reason: quoteVoid };
}

/** A test task moves no credits and carries sandbox text: nobody should take it for a real one. */
function testMark(task: ShownTask): { livemode?: false } {
  return task.sandbox ? { livemode: false } : {};
}

const resultFieldNames: Record<Action, readonly string[]> = {
  translation: ['quality', 'coverage', 'warnings'],
  preview_translation: ['quality', 'coverage', 'warnings'],
  token_estimate: [
    ...['detected_language', 'total_characters', 'billable_characters', 'reused_characters'],
    ...['estimated_tokens', 'token_estimate', 'warnings'],
  ],
  glossary_extraction: ['terms', 'detected_language', 'warnings'],
  preview_metadata: ['detected_language', 'metadata', 'warnings'],
};

function resultFields(task: ShownTask): Record<string, unknown> {
  const names = resultFieldNames[task.action].filter((name) => task.result[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, task.result[name]]));
}

function downloadDescriptor(taskId: string, output: TaskOutput) {
  const query = output.fileId === 'translated' ? '' : `?file_id=${output.fileId}`;
  return {
    file_id: output.fileId,
    file_name: output.fileName,
    url: `/api/tasks/download-file/${taskId}${query}`,
    file_size: output.sizeBytes,
    type: output.fileId,
    sha256: output.sha256,
  };
}

/** Seconds until polling again is worth it: soon for small tasks, later the longer a task has been running. */
export function pollHintSeconds(task: ShownTask, now: Date): number {
  const ageSeconds = (now.getTime() - task.createdAt.getTime()) / 1000;
  if (task.charCount <= 20_000 && ageSeconds < 60) return ageSeconds < 5 ? 1 : 2;
  return ageSeconds < 600 ? 5 : 15;
}
