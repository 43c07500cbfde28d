/** A cookie that holds a session's random id: no script reads it, and no other site sends it. */
export class SessionCookie {
  readonly #name: string;
  readonly #path: string;
  readonly #secure: boolean;

  constructor(name: string, path: string, publicUrl: string | undefined) {
    this.#name = name;
    this.#path = path;
    this.#secure = publicUrl?.startsWith('https:') ?? false;
  }

  /** The id that a browser sends, if it has the form of one. */
  read(header: string | undefined): string | undefined {
    return new RegExp(`(?:^|; *)${this.#name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(header ?? '')?.[1];
  }

  set(id: string, hours: number): string {
    return this.#text(id, hours * 3600);
  }

  clear(): string {
    return this.#text('', 0);
  }

  #text(value: string, maxAgeSeconds: number): string {
    const secure = this.#secure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=${this.#path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }
}
