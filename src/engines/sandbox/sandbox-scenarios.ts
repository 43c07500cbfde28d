/**
 * Target languages that make the sandbox misbehave on purpose: a private-use subtag after any supported language,
 * such as `en-x-fail`. `docs/api/sandbox.md` tells what each does and what a partner sees of it.
 */
export const sandboxScenarios = [
  'fail',
  'outage',
  'spend',
  'flaky',
  'slow',
  'partial',
  'refuse',
  'cutoff',
  'garbled',
  'echo',
  'terms',
  'tags',
] as const;

export type SandboxScenario = (typeof sandboxScenarios)[number];

/** The scenario asked for by a target such as `en-x-fail`; undefined for an ordinary target. */
export function scenarioOf(targetLang: string): SandboxScenario | undefined {
  const asked = /-x-([a-z0-9]+)$/iu.exec(targetLang)?.[1]?.toLowerCase();
  return sandboxScenarios.find((scenario) => scenario === asked);
}
