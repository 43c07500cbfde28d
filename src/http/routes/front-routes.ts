/** The front page: what the service is, a page of a translated book, the pairs that are served, and a paragraph to try. */
import Type from 'typebox';
import { AppError, badRequest } from '../../errors.ts';
import { type Language, languageName, parseLanguage } from '../../language/languages.ts';
import { type FrontExample, type FrontPair, frontPage } from '../../pages/front/front-page.ts';
import type { PageAssets } from '../../pages/page-assets.ts';
import { pagePolicy } from '../../pages/page-shell.ts';
import type { ServedPairs } from '../../tasks/served-pairs.ts';
import { AddressLimit } from '../address-limit.ts';
import { success } from '../envelope.ts';
import { unlisted } from '../schemas.ts';
import { publicRoot, type Server } from '../server.ts';
import { exact } from '../shapes.ts';

export interface FrontRouteDependencies {
  assets: PageAssets;
  publicUrl: string | undefined;
  pairs: () => readonly ServedPairs[];
  /** Undefined = visitors try nothing here. */
  trial: Trial | undefined;
}

export interface Trial {
  maxCharacters: number;
  example(): Promise<FrontExample | undefined>;
  translate(
    text: string,
    pair: { sourceLang: Language | undefined; targetLang: Language },
  ): Promise<Pick<FrontExample, 'paragraphs' | 'quality'>>;
}

/** Of one address. */
const trialsPerMinute = 5;

export function registerFrontRoutes(server: Server, { assets, publicUrl, pairs, trial }: FrontRouteDependencies): void {
  server.get('/', unlisted({}), async (request, reply) => {
    // The page is there whatever is not.
    const example = await trial?.example().catch(() => undefined);
    const about = { pairs: pairs().map(namedPair), example, maxCharacters: trial?.maxCharacters };
    const page = frontPage(assets, publicRoot(request, publicUrl), about);
    return reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(page);
  });
  if (trial === undefined) return;
  const limit = new AddressLimit(trialsPerMinute);
  const language = Type.String({ minLength: 2, maxLength: 35 });
  server.post(
    '/try',
    {
      bodyLimit: 8 * 1024,
      ...unlisted({
        body: exact({ text: Type.String(), source_lang: Type.Optional(language), target_lang: language }),
      }),
    },
    async (request) => {
      const { source_lang: from, target_lang: to } = request.body;
      const text = request.body.text.toWellFormed().replaceAll('\0', '').trim();
      if (text === '') throw badRequest('There is nothing to translate.', { field: 'text' });
      if ([...text].length > trial.maxCharacters)
        throw badRequest(`A paragraph to try has at most ${trial.maxCharacters} characters.`, { field: 'text' });
      const [sourceLang, targetLang] = [from === undefined ? undefined : parseLanguage(from), parseLanguage(to)];
      if (targetLang === undefined || (from !== undefined && sourceLang === undefined))
        throw badRequest('This is no language that the service knows.', { field: 'target_lang' });
      const retryAfterSeconds = limit.record(request.ip);
      const tooMany = `That is enough for a minute. Try again in ${retryAfterSeconds} s.`;
      if (retryAfterSeconds !== undefined) throw new AppError('RATE_LIMITED', tooMany, { retryAfterSeconds });
      return success(await trial.translate(text, { sourceLang, targetLang }));
    },
  );
}

/** By name, as people read them. */
function namedPair({ source, target, quality }: ServedPairs): FrontPair {
  const named = (tags: readonly string[]) => tags.map((tag) => ({ tag, name: languageName(tag) }));
  return { source: named(source), target: named(target), quality };
}
