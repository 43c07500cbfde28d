/** Each pair of engines on each passage, in both orders: a judge that prefers what stands first says nothing. */
import type { CompareResult } from '../engines/engine.ts';
import type { EvaluatedPassage, JudgedPair, JudgeFindings } from './evaluation.ts';

/** Which of two translations of a passage is better. @returns undefined when the judge has said nothing that can be read */
export type Compare = (source: string[], first: string[], second: string[]) => Promise<CompareResult['better']>;

export async function judgePassages(
  judge: string,
  engines: readonly string[],
  passages: readonly EvaluatedPassage[],
  compare: Compare,
): Promise<JudgeFindings> {
  const findings: JudgeFindings = { engine: judge, pairs: [], comparisons: 0, changed_with_order: 0, unread: 0 };
  for (const [at, first] of engines.entries())
    for (const second of engines.slice(at + 1)) {
      const pair: JudgedPair = { first, second, first_wins: 0, second_wins: 0, ties: 0 };
      findings.pairs.push(pair);
      const verdicts = await Promise.all(passages.map((passage) => bothOrders(passage, first, second, compare)));
      for (const verdict of verdicts) count(verdict, pair, findings);
    }
  return findings;
}

interface Verdict {
  inOrder: CompareResult['better'];
  /** Of the same two, the other way round; `first` is still the first of the pair. */
  turned: CompareResult['better'];
}

async function bothOrders(
  { source, translations }: EvaluatedPassage,
  first: string,
  second: string,
  compare: Compare,
): Promise<Verdict> {
  const [one, other] = [translations[first] ?? [], translations[second] ?? []];
  const [inOrder, turned] = await Promise.all([compare(source, one, other), compare(source, other, one)]);
  return { inOrder, turned: turned === 'first' ? 'second' : turned === 'second' ? 'first' : turned };
}

function count({ inOrder, turned }: Verdict, pair: JudgedPair, findings: JudgeFindings): void {
  findings.comparisons++;
  if (inOrder === undefined || turned === undefined) findings.unread++;
  else if (inOrder !== turned) findings.changed_with_order++;
  if (inOrder === 'first' && turned === 'first') pair.first_wins++;
  else if (inOrder === 'second' && turned === 'second') pair.second_wins++;
  else pair.ties++;
}

/** Of one engine, over all of its pairs. */
export function verdictsOn(engine: string, { pairs }: JudgeFindings): { wins: number; losses: number; ties: number } {
  const sum = { wins: 0, losses: 0, ties: 0 };
  for (const { first, second, first_wins, second_wins, ties } of pairs) {
    if (first !== engine && second !== engine) continue;
    const [own, others] = first === engine ? [first_wins, second_wins] : [second_wins, first_wins];
    sum.wins += own;
    sum.losses += others;
    sum.ties += ties;
  }
  return sum;
}
