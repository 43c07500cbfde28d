import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { badField } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { newId } from '../../platform/ids.ts';
import { OwnerLimit } from '../../platform/owner-limit.ts';
import type { Platform } from '../../platform/platform.ts';
import { safeFileName } from '../../platform/storage/content-disposition.ts';
import type { PutOptions, StoredObject } from '../../platform/storage/storage.ts';
import { withSpan } from '../../platform/tracing.ts';
import type { OutputMaker } from '../../reading/output-maker.ts';
import { type CreatedTask, createTask } from '../../tasks/create-task.ts';
import { downloadLifetimeSeconds, signedDownloadPath } from '../../tasks/download-links.ts';
import { downloadableTask } from '../../tasks/downloadable-task.ts';
import { cancelTask, deleteTask } from '../../tasks/end-task.ts';
import type { CreateTaskDependencies, TaskSource } from '../../tasks/order-task.ts';
import { outputFileIds } from '../../tasks/output-files.ts';
import { smallTextBytes } from '../../tasks/source-files.ts';
import { textKeyOf } from '../../tasks/source-text-store.ts';
import { type Status, statuses } from '../../tasks/states.ts';
import { copySource, discardObjects, putNoted } from '../../tasks/stored-objects.ts';
import { type Action, actionNames, filesAreToCome, type ShownTask } from '../../tasks/task.ts';
import { checkIdempotencyKey, parseTaskRequest } from '../../tasks/task-request.ts';
import { findTask, pageOfTasks, readOutputs } from '../../tasks/task-store.ts';
import { pollHintSeconds, type StageDetail, taskView } from '../../tasks/task-view.ts';
import { success } from '../envelope.ts';
import { admissionOf, callingOwner } from '../guard.ts';
import { leaveUnread, unvalidated, withOwnParsers } from '../own-bodies.ts';
import { answers, bodyErrors, created, operation, pageQuery, TaskId } from '../schemas.ts';
import { leavingOf, publicRoot, type Server } from '../server.ts';
import { exact, optionalText } from '../shapes.ts';
import { DownloadResult, TaskForm, TaskJson, TaskListSchema, TaskSchema } from '../task-schemas.ts';
import { readUpload } from '../upload/read-upload.ts';
import { uploadLimits } from '../upload/upload-limits.ts';

export interface TaskRouteDependencies extends CreateTaskDependencies, Pick<Platform, 'tracing'> {
  limits: Limits;
  urlSigningKey: Buffer;
  publicUrl: string | undefined;
  maker: OutputMaker;
  /** Why a pending task waits. */
  stageDetail(task: ShownTask): Promise<StageDetail | undefined>;
}

export function registerTaskRoutes(server: Server, deps: TaskRouteDependencies): void {
  registerCreate(server, deps);
  registerReads(server, deps);
  registerEnds(server, deps);
}

function registerCreate(server: Server, deps: TaskRouteDependencies): void {
  /** What one account may have under way at once. */
  const creates = new OwnerLimit(4);
  withOwnParsers(server, (scope) => {
    leaveUnread(scope);
    scope.post(
      '/tasks',
      {
        // Documented here, validated by `parseTaskRequest`: the body arrives in parts and as strings.
        ...unvalidated,
        bodyLimit: deps.limits.maxRequestBytes,
        ...operation('Tasks', 'createTask', 'Create a task', {
          description: createDescription,
          headers: Type.Object({
            'idempotency-key': optionalText({
              minLength: 1,
              maxLength: 255,
              description: 'Send one with every create call that may be retried.',
            }),
          }),
          body: {
            content: {
              'multipart/form-data': { schema: TaskForm },
              'application/x-www-form-urlencoded': { schema: TaskForm },
              'application/json': { schema: TaskJson },
            },
          },
          response: created(
            TaskSchema,
            'The task; completed at once for glossary_extraction and preview_metadata with char_limit.',
            'PAYMENT_REQUIRED',
            'IDEMPOTENCY_CONFLICT',
            'REQUEST_IN_PROGRESS',
            'NOT_FOUND',
            'SOURCE_EXPIRED',
            'PAYLOAD_TOO_LARGE',
            'STORAGE_QUOTA',
            'UNSUPPORTED_MEDIA_TYPE',
          ),
        }),
      },
      async (request, reply) => {
        const { caller } = admissionOf(request);
        // The partner's own traceparent is ignored: otherwise any partner could write into any trace.
        const attributes = { request: request.id, account: caller.accountId };
        const created = await deps.tracing.startTrace('create task', { kind: 'server', attributes }, async (span) => {
          const answer = await createFrom(deps, creates, request, reply);
          span.set({ replayed: answer.replayed });
          return answer;
        });
        if (created.replayed) reply.header('idempotent-replayed', 'true');
        // The stored answer goes out byte for byte.
        return reply
          .status(201)
          .type('application/json; charset=utf-8')
          .send(created.body as never);
      },
    );
  });
}

/** Reads the body, then creates. @throws what `readUpload`, `parseTaskRequest` and `createTask` throw */
async function createFrom(
  deps: TaskRouteDependencies,
  creates: OwnerLimit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CreatedTask> {
  const idempotencyKey = checkIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
  const taskId = newId('task');
  const sourceKey = `sources/${taskId}`;
  const store = async (body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> => {
    try {
      return await putNoted(deps, taskId, sourceKey, body, options);
    } catch (error) {
      await discardObjects(deps, [sourceKey]);
      throw error;
    }
  };
  const leaving = leavingOf(reply);
  const upload = await withSpan('read upload', {}, () =>
    readUpload(
      { headers: request.headers, stream: request.raw },
      {
        limits: uploadLimits(deps.limits),
        sink: (body, signal) => store(body, { signal }),
        discard: (stored) => discardObjects(deps, [stored.key]),
        takesText: true,
      },
    ),
  );
  let source: TaskSource | undefined = upload.file?.stored;
  const { caller } = admissionOf(request);
  const leaveTurn = await creates.take(caller.accountId);
  try {
    const { glossaryText, ...parsed } = parseTaskRequest(upload.fields, {
      hasFile: upload.file !== undefined,
      sentText: upload.text,
    });
    const glossary = await deps.glossaries.read(glossaryText, caller.accountId);
    const sentName = safeFileName(parsed.fileName ?? 'text.txt', 'text.txt');
    if (parsed.text !== undefined && upload.text)
      source = await sourceOfText(deps, taskId, upload.text, sentName, store);
    const copied =
      parsed.sourceTaskId === undefined
        ? undefined
        : await copySource(deps, callingOwner(request), parsed.sourceTaskId, store);
    source ??= copied?.stored;
    if (!source) throw badField('MISSING_SOURCE', 'Send the source as a file part or as text.', 'file');
    const copiedName = parsed.fileName === undefined ? copied?.earlier.fileName : undefined;
    const fileName = upload.file?.fileName ?? copiedName ?? sentName;
    const stored = source;
    source = undefined; // from here on createTask is responsible for it
    return await createTask(deps, {
      caller,
      idempotencyKey,
      taskId,
      request: { ...parsed, glossary },
      source: stored,
      earlier: copied?.earlier,
      fileName,
      signal: leaving,
      onlyWaits: leaveTurn,
    });
  } finally {
    leaveTurn();
    if (source && !source.text) await discardObjects(deps, [source.key]);
  }
}

/** A small text is kept with its task, in one commit; anything else is an object of its own. */
async function sourceOfText(
  { sources }: TaskRouteDependencies,
  taskId: string,
  text: Uint8Array,
  fileName: string,
  store: (body: AsyncIterable<Uint8Array>) => Promise<StoredObject>,
): Promise<TaskSource> {
  if (text.byteLength > smallTextBytes || !(await sources.isSmallText(text, fileName)))
    return await store(inPieces(text));
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { key: textKeyOf(taskId), sizeBytes: text.byteLength, sha256, text };
}

const pieceBytes = 65_536;

/** Other requests are served between the pieces. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function registerReads(server: Server, deps: TaskRouteDependencies): void {
  /** A list is a hundred tasks, each of them as much as a poll. */
  const lists = new OwnerLimit(1, { rests: true });
  server.get(
    '/tasks',
    operation('Tasks', 'listTasks', 'List tasks, newest first', {
      querystring: exact({
        ...pageQuery,
        status: optionalText({ enum: [...statuses] }),
        action: optionalText({ enum: actionNames }),
        external_id: optionalText({ maxLength: 512, pattern: '^[^\\u0000]*$' }),
        series_id: optionalText({ maxLength: 64, pattern: '^[^\\u0000]*$' }),
      }),
      response: answers(TaskListSchema, 'A page of tasks.'),
    }),
    async (request) => {
      const { limit = 20, cursor, status, action, external_id, series_id } = request.query;
      const filter = {
        status: status as Status | undefined,
        action: action as Action | undefined,
        externalId: external_id,
        seriesId: series_id,
      };
      const owner = callingOwner(request);
      const { tasks, nextCursor } = await lists.run(owner.accountId, () =>
        pageOfTasks(deps.db, owner, filter, limit, cursor),
      );
      return success({ tasks: tasks.map((task) => taskView(task, [])), next_cursor: nextCursor });
    },
  );

  server.get(
    '/tasks/:task_id',
    operation('Tasks', 'getTask', 'Poll a task', {
      description: 'While the task is pending, `Retry-After` says when polling again is worth it.',
      params: TaskId,
      response: answers(TaskSchema, 'The task.', 'NOT_FOUND'),
    }),
    async (request, reply) => {
      const task = await findTask(deps.db, callingOwner(request), request.params.task_id);
      // Files of a cancelled task come later, with its coverage: a poll shows both or neither.
      const outputs = filesAreToCome(task) ? [] : await readOutputs(deps.db, task.id);
      if (task.status === 'pending') reply.header('retry-after', String(pollHintSeconds(task, new Date())));
      return success(taskView(task, outputs, await deps.stageDetail(task)));
    },
  );

  server.get(
    '/tasks/:task_id/download',
    operation('Tasks', 'getDownload', 'Get a download URL', {
      description:
        'Of any file of a finished translation. `bilingual`, `glossary`, `glossary_tbx`, `xliff`, `tmx` and `corrected` hold the corrections of this moment: a file that the task was created without, or that is older, is made first, at no price.',
      params: TaskId,
      querystring: exact({ file_id: optionalText({ enum: [...outputFileIds], default: 'translated' }) }),
      response: answers(
        DownloadResult,
        'A URL for the file.',
        'NOT_FOUND',
        'TASK_NOT_READY',
        'TASK_NOT_DOWNLOADABLE',
        'OUTPUT_EXPIRED',
        'STORAGE_QUOTA',
      ),
    }),
    async (request) => {
      const { caller } = admissionOf(request);
      const { file_id: fileId = 'translated' } = request.query;
      const task = await downloadableTask(deps.db, callingOwner(request), request.params.task_id, fileId);
      const { fileName, mediaType, sizeBytes, sha256, storageKey } = await deps.maker.fresh(task, fileId);
      const expiresAtSeconds = Math.floor(Date.now() / 1000) + downloadLifetimeSeconds;
      const grant = { taskId: task.id, fileId, keyId: caller.keyId, expiresAtSeconds };
      const url = deps.storage.presign
        ? await deps.storage.presign(storageKey, { expiresInSeconds: downloadLifetimeSeconds, fileName, mediaType })
        : publicRoot(request, deps.publicUrl) + signedDownloadPath(grant, deps.urlSigningKey);
      return success({
        download_url: url,
        expires_in: downloadLifetimeSeconds,
        file_name: fileName,
        file_size: sizeBytes,
        sha256,
      });
    },
  );
}

function registerEnds(server: Server, deps: TaskRouteDependencies): void {
  server.post(
    '/tasks/:task_id/cancel',
    operation('Tasks', 'cancelTask', 'Cancel a pending task', {
      description: 'Characters of finished segments are charged, the rest of the hold is released.',
      params: TaskId,
      response: answers(TaskSchema, 'The cancelled task.', 'NOT_FOUND', 'TASK_NOT_CANCELLABLE', ...bodyErrors),
    }),
    async (request) => success(taskView(await cancelTask(deps, callingOwner(request), request.params.task_id), [])),
  );

  server.delete(
    '/tasks/:task_id',
    operation('Tasks', 'deleteTask', 'Delete the text of a task', {
      description:
        'Cancels it if pending, then removes source, outputs and results everywhere. The task and the ledger stay readable.',
      params: TaskId,
      response: answers(TaskSchema, 'The task without its text.', 'NOT_FOUND', ...bodyErrors),
    }),
    async (request) => success(taskView(await deleteTask(deps, callingOwner(request), request.params.task_id), [])),
  );
}

const createDescription = `Send the source as a file part (named \`file\`) or as \`text\`. A file upload without \`char_limit\` needs \`estimated_chars\`.

A request in JSON or in urlencoded form is at most 2 MiB; a longer text goes as a file part, or as the part \`text\` of a multipart request.

The credits for the task are held at once and charged at the end, for the characters delivered. With the same \`Idempotency-Key\` the same request is answered with the same bytes, and nothing is created or held twice.`;
