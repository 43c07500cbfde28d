/**
 * Target languages that make the sandbox misbehave on purpose: a private-use subtag after any supported language,
 * such as `en-x-fail`. Data, so that documentation and tests list exactly what exists.
 */
export const sandboxScenarios = [
  {
    subtag: 'fail',
    behaviour: 'Every call is rejected for good.',
    partnerSees: 'The task ends as failed and nothing is charged.',
  },
  {
    subtag: 'outage',
    behaviour: 'Every call fails as if the engine were down.',
    partnerSees: 'The task stays unfinished and is tried again later; it can be cancelled at no charge.',
  },
  {
    subtag: 'spend',
    behaviour: 'Every call fails as if our budget with the engine were used up.',
    partnerSees: 'The task stays unfinished until an operator acts; nothing is charged.',
  },
  {
    subtag: 'flaky',
    behaviour: 'The first attempt of every call is turned away with a wait of 100 ms; the second succeeds.',
    partnerSees: 'The task completes as if nothing had happened.',
  },
  {
    subtag: 'slow',
    behaviour: 'Every call takes 3 seconds.',
    partnerSees: 'Progress grows slowly: time to watch it, or to cancel the task half way.',
  },
  {
    subtag: 'partial',
    behaviour: 'About every fifth paragraph of up to 60 characters never gets an answer.',
    partnerSees:
      'The task completes; those paragraphs keep the source text, are listed in the report and not charged. Above 5 % of the text it fails.',
  },
  {
    subtag: 'refuse',
    behaviour: 'About every fifth paragraph of up to 60 characters is refused.',
    partnerSees:
      'The task completes; refused paragraphs keep the source text, are listed and not charged. Above 5 % of the text it fails.',
  },
  {
    subtag: 'cutoff',
    behaviour: 'Answers to more than one paragraph stop half way.',
    partnerSees: 'The task completes after smaller calls; nothing is missing.',
  },
  {
    subtag: 'garbled',
    behaviour: 'Answers to more than two paragraphs cannot be read.',
    partnerSees: 'The task completes after smaller calls; nothing is missing.',
  },
  {
    subtag: 'echo',
    behaviour: 'The source text comes back untranslated for about every fifth paragraph of up to 60 characters.',
    partnerSees:
      'The task completes; those paragraphs are listed in the report and not charged. Above 5 % of the text it fails.',
  },
  {
    subtag: 'terms',
    behaviour: 'Glossary terms are not applied.',
    partnerSees: 'The task completes; the report shows a low consistency score and lists the terms.',
  },
  {
    subtag: 'tags',
    behaviour: 'Inline formatting is lost.',
    partnerSees: 'The task completes with every word; the report counts the lost formatting.',
  },
] as const satisfies readonly SandboxScenarioEntry[];

export type SandboxScenario = (typeof sandboxScenarios)[number]['subtag'];

interface SandboxScenarioEntry {
  subtag: string;
  behaviour: string;
  partnerSees: string;
}

/** The scenario asked for by a target such as `en-x-fail`; undefined for an ordinary target. */
export function scenarioOf(targetLang: string): SandboxScenario | undefined {
  const asked = /-x-([a-z0-9]+)$/iu.exec(targetLang)?.[1]?.toLowerCase();
  return sandboxScenarios.find((scenario) => scenario.subtag === asked)?.subtag;
}
