/**
 * Names for the statements that a process sends again and again: the server keeps the plan of a named statement, and for a
 * small task planning takes longer than running. The texts come from our own code, so there are few of them; lists whose
 * length is part of the text are why there is a limit all the same.
 */
export class StatementNames {
  readonly #seen = new Map<string, { times: number; name: string }>();

  /** Undefined for a text that may not come again. */
  nameOf(text: string): string | undefined {
    const known = this.#seen.get(text);
    if (known !== undefined) {
      known.times += 1;
      return known.times > unnamedTimes ? known.name : undefined;
    }
    if (this.#seen.size < maxStatements) this.#seen.set(text, { times: 1, name: `s${this.#seen.size}` });
    return undefined;
  }
}

const unnamedTimes = 3;
/** Every connection of the server keeps its own plans, of some ten kilobytes each. */
const maxStatements = 300;
