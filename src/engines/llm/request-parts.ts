import { stripInlineTags } from '../../inline-tags.ts';
import type { TranslateRequest } from '../engine.ts';

/** Halves a request until every part fits. The blocks beside a part become its context. */
export function partsThatFit(
  request: TranslateRequest,
  mostBlocks: number,
  fits: (part: TranslateRequest) => boolean,
): TranslateRequest[] {
  const { blocks } = request;
  if (blocks.length <= 1 || (blocks.length <= mostBlocks && fits(request))) return [request];
  const middle = Math.ceil(blocks.length / 2);
  return [partOf(request, 0, middle), partOf(request, middle, blocks.length)].flatMap((part) =>
    partsThatFit(part, mostBlocks, fits),
  );
}

/** For a text that fits into a window by itself only. */
export function withoutContext(request: TranslateRequest): TranslateRequest {
  return { ...request, roster: [], brief: { core: [] }, context: { before: [], after: [] } };
}

/** Paragraphs of context on each side, as much as a segment has. */
const neighbours = 2;

function partOf(request: TranslateRequest, from: number, to: number): TranslateRequest {
  const { blocks, terms } = request;
  const { before, after, translatedBefore, translatedAfter, ...book } = request.context;
  const part = blocks.slice(from, to);
  const texts = blocks.map(({ text }) => stripInlineTags(text));
  return {
    ...request,
    blocks: part,
    terms: terms.filter(({ source }) => part.some(({ text }) => stripInlineTags(text).includes(source))),
    context: {
      ...book,
      before: from === 0 ? before : texts.slice(Math.max(0, from - neighbours), from),
      after: to === blocks.length ? after : texts.slice(to, to + neighbours),
      ...(from > 0 || translatedBefore === undefined ? {} : { translatedBefore }),
      ...(to < blocks.length || translatedAfter === undefined ? {} : { translatedAfter }),
    },
  };
}
