/** What lies in a model's folder, and whether it is whole. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { jsonOf } from '../json-value.ts';

const languages = Type.Array(Type.String(), { minItems: 1 });
const manifestSchema = Type.Object({
  name: Type.String(),
  version: Type.String(),
  source_languages: languages,
  target_languages: languages,
  /** Served only where the operator asks for them. */
  experimental_target_languages: Type.Optional(languages),
  files: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer(), sha256: Type.String() })),
});

export type ModelManifest = Static<typeof manifestSchema>;

export const draftModelNames = ['draft-to-en', 'draft-from-en'] as const;

export function draftModelFolder(name: (typeof draftModelNames)[number]): string {
  return fileURLToPath(new URL(`../../../models/${name}/`, import.meta.url));
}

/** Undefined when the model is not installed. @throws Error in one sentence when its manifest cannot be read */
export function readManifest(folder: string): ModelManifest | undefined {
  let text: string;
  try {
    text = readFileSync(`${folder}/manifest.json`, 'utf8');
  } catch {
    return undefined;
  }
  const value = jsonOf(text);
  if (!Value.Check(manifestSchema, value)) throw new Error(`the manifest of the draft model in ${folder} is not valid`);
  return value;
}

/** Half a download or a disk fault would translate into nonsense, so every byte is compared before the first use. */
export async function verifyModel(folder: string, manifest: ModelManifest): Promise<void> {
  await Promise.all(
    Object.entries(manifest.files).map(async ([name, { bytes, sha256 }]) => {
      const content = await readFile(`${folder}/${name}`).catch(() => undefined);
      if (content === undefined) throw new Error(`the draft model is not whole: ${name} is missing`);
      if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256)
        throw new Error(`the draft model is damaged: ${name} is not what its manifest says; install it again`);
    }),
  );
}
