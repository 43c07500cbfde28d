/** One call in the three languages of the reference. */
export interface Example {
  title: string;
  code: string;
}

/** Placeholder for the address of the service in generated texts; the server inserts the real one. */
export const exampleRoot = 'http://127.0.0.1:8080';
export const root = exampleRoot;
export const base = `${root}/api/v1`;

const typescriptHead = `import { Toledo } from '@toledo/client';

const toledo = new Toledo({ baseUrl: '${base}', apiKey: process.env.TOLEDO_API_KEY! });
`;
const pythonHead = `import os, requests

base = "${base}"
key = {"Authorization": f"Bearer {os.environ['TOLEDO_API_KEY']}"}
`;

/** The same operation in the three languages. */
export function inThree(curl: string, typescript: string, python: string): Example[] {
  return [
    { title: 'curl', code: curl.trim() },
    { title: 'TypeScript', code: `${typescriptHead}${typescript.trim()}` },
    { title: 'Python', code: `${pythonHead}${python.trim()}` },
  ];
}

export const bearer = '-H "Authorization: Bearer $TOLEDO_API_KEY"';
