/** The child process that holds the model. Its parent asks over the channel; it ends when the channel closes. */
import { readFileSync } from 'node:fs';
import { availableParallelism, constants, getPriority, setPriority } from 'node:os';
import type { Runtime } from './decoding.ts';
import type { DraftRequest } from './draft-block.ts';
import { type DraftModel, loadDraftModel } from './draft-model.ts';
import { readManifest, verifyModel } from './model-manifest.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';
import { type DraftAnswer, translateBlocks } from './translate-blocks.ts';

export type ToDraftProcess = { id: number; request: DraftRequest } | { cancel: number };

export type FromDraftProcess =
  | { broken: string }
  | (Omit<DraftAnswer, 'translations'> & { id: number; translations: [string, string][]; residentBytes: number })
  | { id: number; fault: string };

/** Two cores translate fastest together; more cores take more requests at once. */
const threadsPerModel = 2;
const maxModels = 4;

const [folder = '', threads = '0'] = process.argv.slice(2);

process.once('disconnect', () => process.exit(0));
// The terminal's Ctrl-C reaches everybody; only the parent decides.
process.on('SIGINT', () => {});
// Only root may go before a service that was itself started further back.
setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
await start().catch((error) => tell({ broken: error instanceof Error ? error.message : String(error) }));

async function start(): Promise<void> {
  const manifest = readManifest(folder);
  if (manifest === undefined) throw new Error(`the draft model is missing: there is no manifest.json in ${folder}`);
  await verifyModel(folder, manifest);
  const tokenizer = createTokenizer(readFileSync(`${folder}/spm.vocab`, 'utf8'));
  const runtime = await loadRuntime();
  const available = Number(threads) || availableParallelism();
  const count = Math.max(1, Math.min(maxModels, Math.floor(available / threadsPerModel)));
  const models = await Promise.all(
    Array.from({ length: count }, () => loadDraftModel(runtime, folder, Math.min(available, threadsPerModel))),
  );
  serve(models, tokenizer);
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const module = await import('onnxruntime-node');
    return 'default' in module ? (module.default as Runtime) : module;
  } catch {
    throw new Error('the package onnxruntime-node is not installed or does not run on this machine');
  }
}

function serve(models: readonly DraftModel[], tokenizer: Tokenizer): void {
  const idle = [...models];
  const waiting: { id: number; request: DraftRequest }[] = [];
  const cancels = new Map<number, AbortController>();
  const next = (): void => {
    const [model, job] = [idle.at(-1), waiting[0]];
    if (model === undefined || job === undefined) return;
    idle.pop();
    waiting.shift();
    const cancel = new AbortController();
    cancels.set(job.id, cancel);
    translateBlocks(job.request, { model, tokenizer }, cancel.signal)
      .then((answer) => {
        const residentBytes = process.memoryUsage.rss();
        tell({ ...answer, id: job.id, translations: [...answer.translations], residentBytes });
      })
      .catch((error) => tell({ id: job.id, fault: error instanceof Error ? error.message : String(error) }))
      .finally(() => {
        cancels.delete(job.id);
        idle.push(model);
        next();
      });
  };
  process.on('message', (message: ToDraftProcess) => {
    if ('cancel' in message) {
      const at = waiting.findIndex(({ id }) => id === message.cancel);
      if (at >= 0) waiting.splice(at, 1);
      cancels.get(message.cancel)?.abort(new Error('cancelled'));
      return;
    }
    waiting.push(message);
    next();
  });
}

function tell(message: FromDraftProcess): void {
  if (process.connected) process.send?.(message);
}
