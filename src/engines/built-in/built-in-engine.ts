/** The engine that comes with the service: a small model on this machine's processor. What it makes is a draft. */
import { availableParallelism } from 'node:os';
import { type Engine, EngineError } from '../engine.ts';
import type { BuiltInEngineConfig } from '../engine-settings.ts';
import { DraftChild } from './draft-child.ts';
import { draftModelFolder, readManifest } from './model-manifest.ts';

/** Grows when the rules around the model give other sentences. */
const rules = 2;

export function createBuiltInEngine(config: BuiltInEngineConfig): Engine {
  const manifest = readManifest(draftModelFolder);
  const problem = runtimeProblem();
  const child = new DraftChild({ folder: draftModelFolder, threads: config.threads });
  const models = Math.max(1, Math.min(4, Math.floor((config.threads || availableParallelism()) / 2)));
  return {
    name: config.name,
    revision: `${manifest.name}-${manifest.version}-rules${rules}-beam${config.beam}`,
    capabilities: {
      quality: 'draft',
      followsInstructions: false,
      keepsInlineTags: true,
      maxInputCharacters: 6_000,
      // One request is computed per model; the next one waits beside it, so that no model is ever idle.
      maxConcurrency: 2 * models,
      local: true,
      sourceLanguages: problem === undefined ? manifest.source_languages : [],
      targetLanguages: manifest.target_languages,
    },
    ...(problem === undefined ? {} : { problem }),
    async translate({ sourceLang, blocks, terms }, signal) {
      if (problem !== undefined) throw new EngineError('rejected', problem);
      const { translations, inputTokens, outputTokens } = await child.translate(
        { sourceLang, blocks, terms: terms.map(({ source, target }) => ({ source, target })), beam: config.beam },
        signal,
      );
      return { translations, finish: 'complete', usage: { inputTokens, outputTokens, cachedInputTokens: 0 } };
    },
    close: () => child.close(),
  };
}

/** Why the engine cannot run here: an optional package that was left out, or is not made for this machine. */
function runtimeProblem(): string | undefined {
  try {
    import.meta.resolve('onnxruntime-node');
    return undefined;
  } catch {
    return 'the built-in engine needs the package onnxruntime-node, which is not installed (npm install without --omit=optional)';
  }
}
