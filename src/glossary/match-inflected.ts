/**
 * Terms of several words in languages whose words change: "Серебряного Шипа" is the term "Серебряный Шип". Terms are filed word
 * by word under the stems of their words. So 20,000 aliases that share their first word cost no more to look up than a single
 * name.
 */
import { isFormOf, stemsOfBase, stemsOfWord } from '../language/inflection.ts';

interface Node<F> {
  /** By the dictionary form of the next word. */
  readonly next: Map<string, Node<F>>;
  /** The same by stem. */
  readonly byStem: Map<string, { base: string; node: Node<F> }[]>;
  /** Forms that end here; earlier terms first. */
  readonly forms: F[];
}

/** A word of a text is taken for a form of so many dictionary words at most; those of earlier terms win. */
const maxBasesPerStem = 16;
/** Letter case aside, a term is there once or twice. */
const maxFormsPerNode = 4;
/** Branches followed from one word of the text. */
const maxVisits = 64;

export class InflectedForms<F> {
  readonly language: string;
  readonly root: Node<F> = emptyNode();

  constructor(language: string) {
    this.language = language;
  }

  add(words: readonly string[], form: F): void {
    if (words.length === 0) return;
    let node = this.root;
    for (const base of words) {
      const { byStem } = node;
      node = node.next.getOrInsertComputed(base, () => {
        const next = emptyNode<F>();
        for (const stem of stemsOfBase(base, this.language)) {
          const there = byStem.getOrInsertComputed(stem, () => []);
          if (there.length < maxBasesPerStem) there.push({ base, node: next });
        }
        return next;
      });
    }
    if (node.forms.length < maxFormsPerNode) node.forms.push(form);
  }
}

export interface InflectedMatch<F> {
  form: F;
  start: number;
  end: number;
}

/** `folded` in lower case. */
export function* findInflected<F>(folded: string, index: InflectedForms<F>): Generator<InflectedMatch<F>> {
  const words = [...folded.matchAll(/[\p{L}\p{M}][\p{L}\p{M}-]*/gu)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (const [position, first] of words.entries()) {
    let visits = 0;
    const open = [{ node: index.root, at: position }];
    for (let step = open.pop(); step !== undefined && visits < maxVisits; step = open.pop()) {
      const word = words[step.at];
      const before = step.at === position ? undefined : words[step.at - 1];
      if (word === undefined) continue;
      // One mark may stand between two words of a term, such as a dot or a hyphen.
      if (before !== undefined && folded.slice(before.end, Math.min(word.start, before.end + 64)).trim().length > 1)
        continue;
      const children = childrenFor(step.node, word.text, index.language);
      visits += 1 + children.length;
      for (const node of children) {
        for (const form of node.forms) yield { form, start: first.start, end: word.end };
      }
      // The last one pushed is followed first: the word as it is, then the longest stem.
      for (const node of children.toReversed()) if (node.next.size > 0) open.push({ node, at: step.at + 1 });
    }
  }
}

function childrenFor<F>(node: Node<F>, word: string, language: string): Node<F>[] {
  const found = new Set<Node<F>>();
  const exact = node.next.get(word);
  if (exact !== undefined) found.add(exact);
  for (const stem of stemsOfWord(word, language)) {
    for (const { base, node: next } of node.byStem.get(stem) ?? []) {
      if (!found.has(next) && isFormOf(word, base, language)) found.add(next);
    }
  }
  return [...found];
}

function emptyNode<F>(): Node<F> {
  return { next: new Map(), byStem: new Map(), forms: [] };
}
