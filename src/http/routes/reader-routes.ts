/** What a reader link opens: the page, and the book as the page asks for it. The address is the only credential. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../errors.ts';
import { isRightToLeft } from '../../language/languages.ts';
import type { PageAssets } from '../../pages/page-assets.ts';
import { messagePage, pagePolicy } from '../../pages/page-shell.ts';
import { readerPage } from '../../pages/reader/reader-page.ts';
import { approvedBlocks } from '../../reading/approval-store.ts';
import type { ReadingChapter } from '../../reading/book-reading.ts';
import { approveBlock, correctBlock, historyOf } from '../../reading/correct-block.ts';
import { type CorrectionDependencies, correctTerm } from '../../reading/correct-task.ts';
import type { Asking } from '../../reading/correction-reader.ts';
import { correctedBlocks } from '../../reading/correction-store.ts';
import type { OutputMaker } from '../../reading/output-maker.ts';
import { openBook } from '../../reading/read-book.ts';
import { type ChapterView, chaptersOf, chapterText } from '../../reading/read-chapters.ts';
import { openReaderLink, type readerCosts, spend } from '../../reading/reader-link.ts';
import type { ReaderLink } from '../../reading/reader-link-store.ts';
import { searchBook } from '../../reading/search-book.ts';
import { filesAreToCome, sourceLangOf, type Task } from '../../tasks/task.ts';
import { wireFields } from '../../wire-fields.ts';
import { success } from '../envelope.ts';
import { unlisted } from '../schemas.ts';
import { sendOutput } from '../send-output.ts';
import { leavingOf, type Server } from '../server.ts';
import { exact } from '../shapes.ts';
import { historyView } from './correction-routes.ts';

export interface ReaderRouteDependencies extends CorrectionDependencies {
  maker: OutputMaker;
  urlSigningKey: Buffer;
  assets: PageAssets;
}

const base = '/read/:link_id/:signature';
/** What a link can download; `book` is the corrected one, if there is anything corrected. */
const readerFiles = ['book', 'bilingual', 'xliff', 'tmx', 'glossary', 'glossary_tbx'] as const;
type ReaderFile = (typeof readerFiles)[number];

export function registerReaderRoutes(server: Server, deps: ReaderRouteDependencies): void {
  const { db, storage, assets, urlSigningKey } = deps;
  const opened = (request: FastifyRequest, cost: keyof typeof readerCosts = 'read') => {
    const { link_id: id, signature } = request.params as { link_id: string; signature: string };
    return openReaderLink(db, { id, signature }, urlSigningKey, cost);
  };
  const page = readerPage(assets);

  server.get(`${base}/`, unlisted({}), async (request, reply) => {
    reply
      .header('content-security-policy', pagePolicy)
      .header('x-robots-tag', 'noindex')
      .type('text/html; charset=utf-8');
    try {
      await opened(request);
      return reply.send(page);
    } catch (error) {
      return sendRefusal(reply, assets, error);
    }
  });

  // People lose the end of an address when they copy it.
  server.get(base, unlisted({}), async (request, reply) => reply.redirect(`${request.url.split('?', 1)[0]}/`, 308));

  server.get(`${base}/book.json`, unlisted({}), async (request) => {
    const { link, task } = await opened(request);
    if (!filesAreToCome(task)) return success(await bookView(deps, link, task));
    const chapters = await chaptersOf(db, task, task.id);
    return success({
      ...waitingView(task, link),
      // A cancelled task has ended while what it had finished is still being written.
      ...(task.stage === 'cancelled' ? { stage: 'finalizing' } : {}),
      ...languagesOf(sourceLangOf(task) ?? 'und', task.targetLang ?? 'en'),
      live: chapters.map(liveView),
    });
  });

  server.get(
    `${base}/chapters/:number`,
    unlisted({ params: linkParams({ number: Type.Integer({ minimum: 0 }) }) }),
    async (request) => {
      const book = await openBook(deps, (await opened(request)).task);
      return success({ blocks: await book.chapter(request.params.number) });
    },
  );

  // While the book is being translated: what there is of it so far.
  server.get(
    `${base}/live/:number`,
    unlisted({ params: linkParams({ number: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }) }),
    async (request) => {
      const { task } = await opened(request);
      const { blocks } = await chapterText(db, task, task.id, request.params.number);
      return success({
        blocks: blocks.map(({ id, kind, source, translation }) => ({ id, kind, source, target: translation ?? '' })),
      });
    },
  );

  server.get(
    `${base}/terms/:number`,
    unlisted({ params: linkParams({ number: Type.Integer({ minimum: 0 }) }) }),
    async (request) => {
      const book = await openBook(deps, (await opened(request)).task);
      const term = book.index.terms[request.params.number];
      if (!term) throw new AppError('NOT_FOUND', 'There is no such term.');
      return success({ places: term.places.map(([chapter, blockId]) => ({ chapter, block_id: blockId })) });
    },
  );

  server.get(
    `${base}/search`,
    unlisted({ querystring: Type.Object({ q: Type.String({ minLength: 1, maxLength: 200 }) }) }),
    async (request) => {
      const book = await openBook(deps, (await opened(request, 'search')).task);
      const { found, more } = await searchBook(book, request.query.q);
      return success({
        found: found.map((passage) => wireFields(passage, 'chapter', 'blockId', 'side', 'excerpt')),
        more,
      });
    },
  );

  // The page asks for the file to be made first, so that it can say what it waits for; then the browser downloads it.
  const FileQuery = exact({ file_id: Type.Optional(Type.Enum(readerFiles)) });
  const file = async (request: FastifyRequest<{ Querystring: { file_id?: ReaderFile } }>) => {
    const { link, task } = await opened(request, 'download');
    const { file_id: asked = 'book' } = request.query;
    const fileId = asked === 'book' ? await deps.maker.bookOf(task) : asked;
    if (await deps.maker.isToMake(task, fileId)) await spend(db, link, 'make');
    return await deps.maker.fresh(task, fileId);
  };
  server.post(`${base}/files`, unlisted({ querystring: FileQuery }), async (request) => {
    const { fileName, sizeBytes } = await file(request);
    return success({ file_name: fileName, file_size: sizeBytes });
  });
  server.get(`${base}/download`, unlisted({ querystring: FileQuery }), async (request, reply) => {
    return (await sendOutput(request, reply, storage, await file(request))) as never;
  });

  registerEdits(server, deps, async (request, cost) => {
    const { link, task } = await opened(request, cost);
    if (!link.editable) throw new AppError('READER_LINK_INVALID', 'This link is for reading only.');
    return task;
  });
}

function registerEdits(
  server: Server,
  deps: ReaderRouteDependencies,
  editable: (request: FastifyRequest, cost: 'correction' | 'term') => Promise<Task>,
): void {
  const blockId = Type.String({ maxLength: 64 });
  const text = Type.String({ minLength: 1, maxLength: 50_000 });
  server.post(
    `${base}/corrections`,
    {
      bodyLimit: 256 * 1024,
      ...unlisted({ body: exact({ block_id: blockId, source: text, target: text, before: Type.Optional(text) }) }),
    },
    async (request, reply) => {
      const { block_id, source, target, before } = request.body;
      const task = await editable(request, 'correction');
      const correction = { blockId: block_id, source, target: storable(target), before };
      return success(await correctBlock(deps, task, correction, askingOf(task, reply)));
    },
  );
  server.get(
    `${base}/corrections/:block_id`,
    unlisted({ params: linkParams({ block_id: blockId }) }),
    async (request) => {
      const task = await editable(request, 'correction');
      return success(historyView(await historyOf(deps, task, request.params.block_id)));
    },
  );
  server.post(
    `${base}/approvals`,
    unlisted({ body: exact({ block_id: blockId, approved: Type.Boolean() }) }),
    async (request) => {
      const { block_id, approved } = request.body;
      await approveBlock(deps, await editable(request, 'correction'), { blockId: block_id, approved });
      return success({ approved });
    },
  );
  const word = Type.String({ minLength: 1, maxLength: 500 });
  server.post(
    `${base}/terms`,
    unlisted({ body: exact({ source: word, from: word, to: word }) }),
    async (request, reply) => {
      const { source, from, to } = request.body;
      const task = await editable(request, 'term');
      const replacement = { source, from, to: storable(to) };
      return success({ changed: await correctTerm(deps, task, replacement, askingOf(task, reply)) });
    },
  );
}

function askingOf(task: Task, reply: FastifyReply): Asking {
  return { owner: task.accountId, signal: leavingOf(reply) };
}

/** Neither U+0000 nor half a surrogate pair can be stored, and no book needs them. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

function linkParams<T extends Record<string, Type.TSchema>>(more: T) {
  return Type.Object({ link_id: Type.String(), signature: Type.String(), ...more });
}

function liveView({ index, title, translated_title, characters, status }: ChapterView) {
  return { index, title, translated_title, characters, ready: status === 'ready' };
}

function languagesOf(sourceLang: string, targetLang: string) {
  return {
    source_lang: sourceLang,
    target_lang: targetLang,
    source_rtl: isRightToLeft(sourceLang),
    target_rtl: isRightToLeft(targetLang),
  };
}

function waitingView(task: Task, link: ReaderLink) {
  return {
    ...wireFields(task, 'status', 'stage', 'progress', 'fileName'),
    editable: link.editable,
    quality: task.sandbox ? 'sandbox' : (task.result.quality ?? null),
  };
}

async function bookView(deps: ReaderRouteDependencies, link: ReaderLink, task: Task) {
  const { index } = await openBook(deps, task);
  const seen = { c: await correctedBlocks(deps.db, task.id), a: await approvedBlocks(deps.db, task.id) };
  return {
    ...waitingView(task, link),
    ...wireFields(index, 'title', 'author', 'vertical'),
    ...languagesOf(index.sourceLang, index.targetLang),
    chapters: index.chapters.map((chapter) => ({
      ...wireFields(chapter, 'title', 'translatedTitle', 'characters', 'continued', 'firstBlock'),
      marks: markedBlocks(chapter, seen),
    })),
    terms: index.terms.map(({ places: _places, ...term }) => term),
    review: index.review ?? [],
    sheet: index.sheet ?? [],
  };
}

function markedBlocks(
  { marks, firstBlock }: Pick<ReadingChapter, 'marks' | 'firstBlock'>,
  { c: corrected, a: approved }: { c: ReadonlySet<string>; a: ReadonlySet<string> },
): string {
  if (corrected.size + approved.size === 0) return marks;
  const markOf = (id: string, mark: string) => (corrected.has(id) ? 'c' : approved.has(id) ? 'a' : mark);
  return [...marks].map((mark, i) => markOf(`b${firstBlock + i}`, mark)).join('');
}

/** People see a page; what cannot be explained goes on to the error handler. */
function sendRefusal(reply: FastifyReply, assets: PageAssets, error: unknown): FastifyReply {
  const titles: Record<string, [status: number, title: string]> = {
    READER_LINK_INVALID: [403, 'This link does not work'],
    READER_LINK_EXPIRED: [403, 'This link has expired'],
    OUTPUT_EXPIRED: [410, 'The book is gone'],
    RATE_LIMITED: [429, 'One moment, please'],
    NOT_FOUND: [403, 'This link does not work'],
  };
  const [status, title] = (error instanceof AppError && titles[error.code]) || [0, ''];
  if (status === 0) throw error;
  const { retryAfterSeconds } = error as AppError;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply.status(status).send(messagePage(assets, title, (error as AppError).message));
}
