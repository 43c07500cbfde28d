/** The engine that comes with the service: small models on this machine's processor. What they make is a draft. */
import { availableParallelism } from 'node:os';
import { baseCode } from '../../language/languages.ts';
import { type Engine, type EnginePairs, pairsFor } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import type { BuiltInEngineConfig } from '../engine-settings.ts';
import { DraftChild } from './draft-child.ts';
import { draftModelFolder, draftModelNames, type ModelManifest, readManifest } from './model-manifest.ts';

/** Grows when the rules around the models give other sentences. */
const rules = 3;

export function createBuiltInEngine(config: BuiltInEngineConfig): Engine {
  const { installed, problem } = findModels(config);
  const atOnce = Math.max(1, Math.min(4, Math.floor((config.threads || availableParallelism()) / 2)));
  const versions = installed.map(({ manifest }) => `${manifest.name}-${manifest.version}`).join('+');
  return {
    name: config.name,
    revision: `${versions}-rules${rules}-beam${config.beam}`,
    capabilities: {
      quality: 'draft',
      followsInstructions: false,
      keepsInlineTags: true,
      blockByBlock: true,
      maxInputCharacters: 6_000,
      // One request is computed per model; the next one waits beside it, so that no model is ever idle.
      maxConcurrency: 2 * atOnce,
      local: true,
      pairs: installed.flatMap(({ pairs }) => pairs),
    },
    problem,
    async translate({ sourceLang, targetLang, blocks, terms }, signal) {
      const pair = [baseCode(sourceLang), baseCode(targetLang)] as const;
      const model = installed.find(({ pairs }) => pairsFor({ pairs }, ...pair) !== undefined);
      if (model === undefined)
        throw new EngineError('rejected', problem ?? 'the built-in engine has no model for this pair');
      const { translations, inputTokens, outputTokens } = await model.child.translate(
        {
          sourceLang,
          targetLang,
          blocks,
          terms: terms.map(({ source, target }) => ({ source, target })),
          beam: config.beam,
        },
        signal,
      );
      return { translations, finish: 'complete', usage: { inputTokens, outputTokens, cachedInputTokens: 0 } };
    },
    close() {
      for (const { child } of installed) child.close();
    },
  };
}

/** Both the runtime and each model may have been left out of an installation. A model runs in a process of its own while it is in use. */
function findModels({ threads, experimental }: BuiltInEngineConfig) {
  const runtime = runtimeProblem();
  if (runtime !== undefined) return { installed: [], problem: runtime };
  const found = draftModelNames.map((name) => {
    const folder = draftModelFolder(name);
    return { name, folder, manifest: readManifest(folder) };
  });
  const missing = found.flatMap(({ name, manifest }) => (manifest === undefined ? [`models/${name}`] : []));
  const installed = found.flatMap(({ folder, manifest }) => {
    if (manifest === undefined) return [];
    return [{ manifest, pairs: pairsOf(manifest, experimental), child: new DraftChild(folder, threads) }];
  });
  const verb = missing.length > 1 ? 'are' : 'is';
  return { installed, problem: missing.length === 0 ? undefined : `${missing.join(' and ')} ${verb} not installed` };
}

function pairsOf(manifest: ModelManifest, experimental: boolean): EnginePairs[] {
  const { source_languages: source, target_languages: target, experimental_target_languages: more } = manifest;
  return [
    { source, target },
    ...(experimental && more !== undefined ? [{ source, target: more, experimental: true as const }] : []),
  ];
}

/** Why no model can run here: an optional package that was left out, or is not made for this machine. */
function runtimeProblem(): string | undefined {
  try {
    import.meta.resolve('onnxruntime-node');
    return undefined;
  } catch {
    return 'the built-in engine needs the package onnxruntime-node, which is not installed (npm install without --omit=optional)';
  }
}
