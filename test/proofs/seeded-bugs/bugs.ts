// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source code, not templates
/** Bugs to be put into a copy of the product one at a time, each with the check that must notice it. */
export interface SeededBug {
  name: string;
  edits: readonly Edit[];
  /** Test file, and a part of the title that must fail. */
  check: readonly [file: string, title: string];
}

/** Replaces text that must be there exactly once. */
export interface Edit {
  file: string;
  from: string;
  to: string;
}

const edit = (file: string, from: string, to: string): Edit => ({ file, from, to });

export const seededBugs: readonly SeededBug[] = [
  {
    name: 'a hold is taken without looking at the balance',
    edits: [edit('src/credits/hold-store.ts', ' and available >= ${credits}', '')],
    check: ['test/http/create-task.402.test.ts', 'one credit too few'],
  },
  {
    name: 'two requests with one idempotency key both create',
    edits: [
      edit(
        'src/tasks/idempotency-store.ts',
        'if (inserted !== 1) return await readKey(trx, { accountId, mode, key });',
        'void inserted;',
      ),
    ],
    check: ['test/proofs/concurrent-creates.ts', 'simultaneous identical creates'],
  },
  {
    name: 'a 402 is stored and replayed',
    edits: [
      edit(
        'src/tasks/create-task.ts',
        '  let kept = false;\n  try {',
        '  let kept = false;\n  const asked = `${input.caller.accountId} ${input.idempotencyKey}`;\n  if (refusals.has(asked)) throw refusals.get(asked);\n  try {',
      ),
      edit(
        'src/tasks/create-task.ts',
        '      kept = isDatabaseAway(error);\n',
        '      kept = isDatabaseAway(error);\n      refusals.set(asked, error);\n',
      ),
      edit(
        'src/tasks/create-task.ts',
        'const duplicateWaitMs = 5_000;',
        'const duplicateWaitMs = 5_000;\nconst refusals = new Map<string, unknown>();',
      ),
    ],
    check: ['test/http/create-task.402.test.ts', 'after a top-up the same key succeeds'],
  },
  {
    name: 'another request under the same idempotency key is answered with the first task',
    edits: [edit('src/tasks/create-task.ts', '&& earlier?.fingerprint.equals(fingerprint))', '&& earlier)')],
    check: ['test/proofs/request-variants.ts', 'equivalent requests replay'],
  },
  {
    name: 'a duplicate in flight is told to take a fresh key',
    edits: [
      edit(
        'src/tasks/create-task.ts',
        "return new AppError('REQUEST_IN_PROGRESS', 'The same request is still being created; retry with the same key.', {",
        "return new AppError('IDEMPOTENCY_CONFLICT', 'The same request is still being created; retry with the same key.', {",
      ),
    ],
    check: ['test/http/create-task.409.test.ts', 'a duplicate that has waited 5 s'],
  },
  {
    name: 'a worker ends a task that another one holds',
    edits: [
      edit(
        'src/books/attempt-store.ts',
        "select from tasks where id = ${attempt.taskId} and attempt = ${attempt.number} and status = 'pending' for update",
        "select from tasks where id = ${attempt.taskId} and status = 'pending' for update",
      ),
    ],
    check: ['test/credits/end-of-task.test.ts', 'a worker whose task was taken over'],
  },
  {
    name: 'the charge is not in the transaction that ends the task',
    edits: [
      edit(
        'src/books/run-task.ts',
        'await settleHold(trx, task.id, charge)',
        'await settleHold(db as never, task.id, charge)',
      ),
    ],
    check: ['test/credits/end-of-task.test.ts', 'a fault in the last step'],
  },
  {
    name: 'an engine that asks to wait is called again at once',
    edits: [
      edit(
        'src/engines/routing/engine-health.ts',
        'if (error.retryAfterMs !== undefined) pause(error.retryAfterMs);',
        '',
      ),
    ],
    check: ['test/engines/routing.test.ts', 'Retry-After of 120 s'],
  },
  {
    name: 'archive entries may share their bytes',
    edits: [
      edit(
        'src/documents/archive/archive-directory.ts',
        "    if (range.start < end) throw sourceFault('ARCHIVE_OVERLAP');\n",
        '',
      ),
    ],
    check: ['test/documents/hostile-archives.test.ts', 'an entry inside the data of another'],
  },
  {
    name: 'archive entries may climb out of their folder',
    edits: [
      edit(
        'src/documents/archive/archive-names.ts',
        "segment !== '' && segment !== '.' && segment !== '..'",
        "segment !== ''",
      ),
    ],
    check: ['test/documents/hostile-archives.test.ts', 'a name that climbs out'],
  },
  {
    name: 'a DOCTYPE may declare entities',
    edits: [
      edit(
        'src/documents/markup/xml.ts',
        "    if (doctype.includes('[')) throw sourceFault('XML_DOCTYPE', where);\n",
        '',
      ),
    ],
    check: ['test/proofs/hostile-xml.ts', 'an empty internal subset'],
  },
  {
    name: 'the API key is logged',
    edits: [
      edit(
        'src/http/server.ts',
        '          method: request.method,\n          route,\n          status: reply.statusCode,',
        '          method: request.method,\n          from: request.headers.authorization,\n          route,\n          status: reply.statusCode,',
      ),
    ],
    check: ['test/http/logs.test.ts', 'header values, paths, queries and bad keys'],
  },
  {
    name: "what an engine's server says is logged with its fault",
    edits: [
      edit('src/engines/llm/engine-fault.ts', 'cause: cause === undefined ? undefined : outlineOf(cause),', 'cause,'),
    ],
    check: ['test/engines/llm-faults.test.ts', 'what a server quotes back'],
  },
  {
    name: "another tenant's task can be read",
    edits: [
      edit(
        'src/tasks/task-store.ts',
        'from tasks where id = ${taskId} and ${ownedBy(owner)}`',
        'from tasks where id = ${taskId} and (${ownedBy(owner)} or true)`',
      ),
    ],
    check: ['test/proofs/tenant-isolation.ts', "another partner's task"],
  },
  {
    name: "another tenant's task can be cancelled",
    edits: [
      edit(
        'src/tasks/end-task.ts',
        "const task = await lockTask(trx, taskId, owner);\n    if (task.status !== 'pending')",
        "const task = await lockTask(trx, taskId);\n    if (owner && task.status !== 'pending')",
      ),
    ],
    check: ['test/proofs/tenant-isolation.ts', "another partner's task"],
  },
  {
    name: 'a revoked key is still admitted',
    edits: [
      edit(
        'src/accounts/admission-store.ts',
        'where k.hash = ${keyHash} and k.revoked_at is null',
        'where k.hash = ${keyHash}',
      ),
    ],
    check: ['test/http/usage.401.test.ts', 'a revoked key is refused'],
  },
  {
    name: 'a download URL outlives its key',
    edits: [
      edit(
        'src/accounts/account-store.ts',
        'where k.id = ${keyId} and k.revoked_at is null`',
        'where k.id = ${keyId}`',
      ),
    ],
    check: ['test/http/download.403.test.ts', 'a URL dies with the key'],
  },
  {
    name: 'an expired download URL is accepted',
    edits: [
      edit(
        'src/tasks/download-links.ts',
        'if (now.getTime() >= grant.expiresAtSeconds * 1000)',
        'if (now.getTime() >= (grant.expiresAtSeconds + 60) * 1000)',
      ),
    ],
    check: ['test/http/download.403.test.ts', 'a URL ends with its lifetime'],
  },
  {
    name: 'a signature is compared in its first half only',
    edits: [
      edit(
        'src/tasks/download-links.ts',
        'return expected.length === given.length && timingSafeEqual(expected, given);',
        'return expected.length === given.length && timingSafeEqual(expected.subarray(0, 20), given.subarray(0, 20));',
      ),
    ],
    check: ['test/proofs/forged-downloads.ts', 'changed download URLs'],
  },
  {
    name: 'the database does not sync',
    edits: [edit('src/platform/embedded-postgres/own-server.ts', "    fsync: 'on',", "    fsync: 'off',")],
    check: ['test/platform/embedded-postgres.test.ts', 'durable'],
  },
  {
    name: 'text that could not be translated is charged',
    edits: [edit('src/translation/report.ts', 'return coverage.total - coverage.failed -', 'return coverage.total -')],
    check: ['test/translation/translate-book.test.ts', 'listed and not charged'],
  },
  {
    name: 'a cancelled task is charged in full',
    edits: [
      edit(
        'src/tasks/end-task.ts',
        'settleHold(trx, task.id, chargeOnCancel(task, work))',
        'settleHold(trx, task.id, task.charCount)',
      ),
    ],
    check: ['test/http/cancel-task.test.ts', 'a task that nobody has begun'],
  },
  {
    name: 'the last block of a chapter is lost',
    edits: [
      edit(
        'src/translation/plan/segment.ts',
        'for (const { block, units } of blocks) {',
        'for (const { block, units } of blocks.length > 2 ? blocks.slice(0, -1) : blocks) {',
      ),
    ],
    check: ['test/translation/segment.test.ts', 'every block with letters'],
  },
  {
    name: 'a task that its worker gives back is not queued again',
    edits: [
      edit(
        'src/books/run-task.ts',
        '      await replaceJob(trx, attempt, jobId);',
        '      await queue.cancel(trx, task.lane, jobId);',
      ),
    ],
    check: ['test/proofs/stops.ts', 'another worker goes on'],
  },
  {
    name: "a dead worker's task is not taken over",
    edits: [edit('src/platform/queue.ts', '      heartbeatSeconds: 10,\n', '')],
    check: ['test/proofs/worker-takeover.ts', 'after kill -9'],
  },
  {
    name: 'UTF-16 units are counted instead of characters',
    edits: [
      edit(
        'src/documents/document.ts',
        'if (!/[\\ud800-\\udbff]/.test(text)) return text.length;',
        'if (text) return text.length;',
      ),
    ],
    check: ['test/documents/txt.test.ts', 'every code point counts'],
  },
  {
    name: 'each process counts its own rate limit',
    edits: [
      edit(
        'src/http/guard.ts',
        '  const failures = new AddressLimit();',
        '  const failures = new AddressLimit();\n  const own = new Map<string, number>();',
      ),
      edit(
        'src/http/guard.ts',
        '    const { rateLimit } = admission;',
        '    const calls = (own.get(key) ?? 0) + 1;\n    own.set(key, calls);\n    const rateLimit = { ...admission.rateLimit, allowed: calls <= admission.rateLimit.limit, retryAfterSeconds: 1 };',
      ),
    ],
    check: ['test/http/usage.429.test.ts', '200 parallel calls'],
  },
  {
    name: 'a fault of ours is told to the client',
    edits: [
      edit(
        'src/http/envelope.ts',
        "new AppError('INTERNAL', 'Something went wrong on our side. Quote the request id when you ask us about it.', {",
        "new AppError('INTERNAL', String((thrown as Error).message), {",
      ),
    ],
    check: ['test/http/logs.test.ts', 'a fault of ours is logged'],
  },
];
