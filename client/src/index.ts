export {
  type CreateTaskOptions,
  type CreateTaskParameters,
  type Glossary,
  type GlossaryEntry,
  glossaryOf,
} from './create-task.ts';
export type { DownloadedFile, DownloadOptions } from './download-file.ts';
export * from './errors.ts';
export type { FollowEventsOptions } from './follow-events.ts';
export type { Source } from './source.ts';
export { type CorrectionOptions, Toledo, type ToledoOptions } from './toledo.ts';
export type { FinishedTask, FinishOptions, TranslateFileOptions } from './translate-file.ts';
export { type CallOptions, clientVersion } from './transport.ts';
export {
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts';
export type { WaitOptions } from './wait-for-task.ts';
export type * from './wire-types.ts';
