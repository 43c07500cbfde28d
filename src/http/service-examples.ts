/** Requests and answers about the service itself, for the reference and the OpenAPI document. */
import { defaultLimits } from '../limits.ts';
import { limitsView } from './limits-view.ts';
import { base, bearer, type Example, inThree } from './three-languages.ts';

export const serviceExamples: Readonly<Record<string, Example[]>> = {
  listLanguages: inThree(
    `curl -s ${base}/languages ${bearer}`,
    `
const { pairs } = await toledo.languages();
for (const { source, target, quality } of pairs) console.log(source.join(' '), '→', target.join(' '), quality);`,
    `
for pair in requests.get(f"{base}/languages", headers=key).json()["data"]["pairs"]:
    print(" ".join(pair["source"]), "→", " ".join(pair["target"]), pair["quality"])`,
  ),
  getLimits: inThree(
    `curl -s ${base}/limits ${bearer}`,
    `
const limits = await toledo.limits();
console.log(limits.max_file_bytes, limits.max_text_characters);`,
    `
limits = requests.get(f"{base}/limits", headers=key).json()["data"]
print(limits["max_file_bytes"], limits["max_text_characters"])`,
  ),
};

export const serviceAnswers: Readonly<Record<string, object>> = {
  getHealth: { status: 'alive' },
  getReadiness: { status: 'ready' },
  listLanguages: {
    languages: [
      { code: 'en', name: 'English', native_name: 'English', script: 'Latn', direction: 'ltr' },
      { code: 'es', name: 'Spanish', native_name: 'español', script: 'Latn', direction: 'ltr' },
    ],
    pairs: [{ source: ['es'], target: ['en'], quality: 'draft' }],
  },
  getLimits: limitsView(defaultLimits, 60),
};
