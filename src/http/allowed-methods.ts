/** Knows which methods exist on a path, so that a wrong method is 405 with `Allow` and not 404. */
export class AllowedMethods {
  readonly #routes: { pattern: RegExp; method: string }[] = [];

  add(method: string, path: string): void {
    const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), method });
  }

  /** Empty when no route has this path. */
  on(url: string): string[] {
    const path = url.split(/[?#;]/, 1)[0] ?? '';
    return [...new Set(this.#routes.filter((route) => route.pattern.test(path)).map((route) => route.method))].sort();
  }
}
