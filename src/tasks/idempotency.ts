/** When two create calls are the same logical request. */
import { createHash } from 'node:crypto';
import { badRequest } from '../errors.ts';
import type { TaskRequest } from './task-request.ts';

/** @throws BAD_REQUEST */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw badRequest('An Idempotency-Key has 1 to 255 printable ASCII characters.', {
      field: 'Idempotency-Key',
      reason: 'BAD_IDEMPOTENCY_KEY',
    });
  }
  return key;
}

/** Equal for equal requests: fields with defaults filled in and the content's hash; not names, order or boundaries. */
export function fingerprintOf(request: TaskRequest, contentSha256: string): Buffer {
  const canonical = {
    action: request.action,
    source_lang: request.sourceLang?.tag ?? 'auto',
    target_lang: request.targetLang?.tag ?? null,
    char_limit: request.charLimit ?? null,
    // Only when it differs from the default: what was hashed before the field existed must stay the same request.
    ...(request.skipFrontMatter ? { skip_front_matter: true } : {}),
    estimated_chars: request.estimatedChars ?? null,
    glossary: request.glossary.canonical,
    glossary_strategy: request.glossaryStrategy,
    ...(request.acceptDraft ? {} : { accept_draft: false }),
    // Absent where it was not sent: keys stored before there was such a field still match.
    outputs: request.outputs,
    metadata: Object.entries(request.metadata).sort(([a], [b]) => (a < b ? -1 : 1)),
    input: request.sourceTaskId !== undefined ? 'source_task' : request.text === undefined ? 'file' : 'text',
    ...(request.sourceTaskId === undefined ? {} : { source_task_id: request.sourceTaskId }),
    ...(request.seriesId === undefined ? {} : { series_id: request.seriesId }),
    ...(request.style === undefined ? {} : { style: request.style }),
    ...(request.context === undefined ? {} : { context: request.context }),
    content: contentSha256,
  };
  return createHash('sha256').update(JSON.stringify(canonical)).digest();
}
