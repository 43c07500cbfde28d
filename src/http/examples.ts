/**
 * Runnable examples of the main operations, by operation id, for the reference page and the OpenAPI document. They expect
 * TOLEDO_API_KEY, a book called novel.txt and, where they are needed, TASK_ID, LINK_ID, SERIES_ID, WEBHOOK_ID and DELIVERY_ID in the environment;
 * a test runs them all.
 */
import { eventExamples } from './event-examples.ts';
import { readingExamples } from './reading-examples.ts';
import { actionAnswers, responseExamples } from './response-examples.ts';
import { seriesExamples } from './series-examples.ts';
import { serviceExamples } from './service-examples.ts';
import { base, bearer, type Example, inThree, root } from './three-languages.ts';

/** One way to use an operation: an action of POST /tasks, with its own request and answer. */
export interface Variant {
  name: string;
  summary: string;
  samples: Example[];
  response: object;
}

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { example?: object }> }>;
  'x-examples'?: Example[];
  'x-variants'?: readonly Variant[];
}

/** Adds requests as `x-examples`, answers as `example`, and the five actions of POST /tasks as `x-variants`. */
export function withExamples<T extends object>(openapi: T): T {
  const { paths } = openapi as { paths?: Record<string, Record<string, Operation>> };
  for (const operation of Object.values(paths ?? {}).flatMap((methods) => Object.values(methods))) {
    const id = operation.operationId ?? '';
    const examples = operationExamples[id];
    if (examples) operation['x-examples'] = examples;
    if (id === 'createTask') operation['x-variants'] = actionVariants;
    const good = operation.responses?.['200'] ?? operation.responses?.['201'];
    const content = good?.content?.['application/json'];
    if (content && responseExamples[id]) content.example = responseExamples[id];
  }
  return openapi;
}

export const operationExamples: Readonly<Record<string, Example[]>> = {
  ...readingExamples,
  ...eventExamples,
  ...seriesExamples,
  ...serviceExamples,
  getUsage: inThree(
    `curl -s ${base}/usage ${bearer}`,
    `
const usage = await toledo.usage();
console.log(usage.balance_credits, usage.rate_limit_per_minute);`,
    `
usage = requests.get(f"{base}/usage", headers=key).json()["data"]
print(usage["balance_credits"], usage["rate_limit_per_minute"])`,
  ),
  createTask: inThree(
    `
curl -s ${base}/tasks \\
  ${bearer} \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -F action=translation -F target_lang=en \\
  -F char_limit=3000 \\
  -F 'glossary={"Puerto Calmo": "Calm Harbour"}' \\
  -F file=@novel.txt`,
    `
// Generates an Idempotency-Key and retries with it.
const task = await toledo.createTask({
  action: 'translation',
  target_lang: 'en',
  char_limit: 3000,
  glossary: { 'Puerto Calmo': 'Calm Harbour' },
  file: 'novel.txt',
});
console.log(task.task_id, task.estimated_credits);`,
    `
import json, uuid

with open("novel.txt", "rb") as book:
    answer = requests.post(
        f"{base}/tasks",
        headers={**key, "Idempotency-Key": str(uuid.uuid4())},
        data={
            "action": "translation",
            "target_lang": "en",
            "char_limit": "3000",
            "glossary": json.dumps({"Puerto Calmo": "Calm Harbour"}),
        },
        files={"file": book},
    ).json()
if not answer["success"]:
    raise SystemExit(answer["error"])
print(answer["data"]["task_id"], answer["data"]["estimated_credits"])`,
  ),
  getTask: inThree(
    `curl -s ${base}/tasks/$TASK_ID ${bearer}`,
    `
// Polls at the pace the service asks for, until the task has ended.
const task = await toledo.wait(process.env.TASK_ID!, {
  onProgress: (now) => console.log(now.stage, now.progress),
});
console.log(task.credits_charged, task.coverage);`,
    `
import time

while True:
    answer = requests.get(f"{base}/tasks/{os.environ['TASK_ID']}", headers=key)
    task = answer.json()["data"]
    print(task["stage"], task["progress"])
    if task["status"] in ("completed", "failed", "cancelled"):
        break
    time.sleep(int(answer.headers.get("Retry-After", 10)))
print(task["credits_charged"])`,
  ),
  getDownload: inThree(
    `curl -s "${base}/tasks/$TASK_ID/download?file_id=translated" ${bearer}`,
    `
// Fetches the file too: resumable, verified by size and checksum.
const file = await toledo.download(process.env.TASK_ID!, { to: 'novel.en.txt', overwrite: true });
console.log(file.path, file.file_size, file.sha256);`,
    `
import hashlib

link = requests.get(f"{base}/tasks/{os.environ['TASK_ID']}/download", headers=key).json()["data"]
book = requests.get(link["download_url"]).content
assert hashlib.sha256(book).hexdigest() == link["sha256"]
with open("novel.en.txt", "wb") as file:
    file.write(book)
print(link["file_name"], link["file_size"])`,
  ),
  downloadFile: inThree(
    `curl -s -o novel.en.txt ${root}/api/tasks/download-file/$TASK_ID ${bearer}`,
    `
const report = await toledo.downloadBytes(process.env.TASK_ID!, { file_id: 'report' });
console.log(JSON.parse(new TextDecoder().decode(report)).coverage);`,
    `
url = f"${root}/api/tasks/download-file/{os.environ['TASK_ID']}"
report = requests.get(url, params={"file_id": "report"}, headers=key).json()
print(report["coverage"])`,
  ),
  listTasks: inThree(
    `curl -s "${base}/tasks?status=completed&limit=5" ${bearer}`,
    `
const { tasks, next_cursor } = await toledo.listTasks({ status: 'completed', limit: 5 });
console.log(tasks.length, next_cursor);`,
    `
page = requests.get(f"{base}/tasks", params={"status": "completed", "limit": 5}, headers=key).json()["data"]
print(len(page["tasks"]), page["next_cursor"])`,
  ),
  cancelTask: inThree(
    `curl -s -X POST ${base}/tasks/$TASK_ID/cancel ${bearer}`,
    `
const task = await toledo.cancelTask(process.env.TASK_ID!);
console.log(task.status, task.credits_charged);`,
    `
answer = requests.post(f"{base}/tasks/{os.environ['TASK_ID']}/cancel", headers=key).json()
print(answer["data"].get("status") or answer["error"]["code"])`,
  ),
  deleteTask: inThree(
    `curl -s -X DELETE ${base}/tasks/$TASK_ID ${bearer}`,
    `
const task = await toledo.deleteTask(process.env.TASK_ID!);
console.log(task.purged_at);`,
    `
task = requests.delete(f"{base}/tasks/{os.environ['TASK_ID']}", headers=key).json()["data"]
print(task["purged_at"])`,
  ),
  listLedger: inThree(
    `curl -s "${base}/usage/ledger?limit=10" ${bearer}`,
    `
const { lines } = await toledo.ledger({ limit: 10 });
for (const line of lines) console.log(line.created_at, line.kind, line.credits, line.task_id);`,
    `
for line in requests.get(f"{base}/usage/ledger", headers=key).json()["data"]["lines"]:
    print(line["created_at"], line["kind"], line["credits"], line["task_id"])`,
  ),
};

/** The same call in three languages, with the fields of one action. */
function create(fields: Record<string, string | number>): Example[] {
  const forms = Object.entries(fields).map(([name, value]) => `-F ${name}=${value}`);
  const script = Object.entries(fields).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value).replaceAll('"', "'")},`,
  );
  const python = Object.entries(fields).map(([name, value]) => `"${name}": "${value}"`);
  return inThree(
    `
curl -s ${base}/tasks \\
  ${bearer} \\
  -H "Idempotency-Key: $(uuidgen)" \\
  ${forms.join(' ')} \\
  -F file=@novel.txt`,
    `
const task = await toledo.createTask({
${script.join('\n')}
  file: 'novel.txt',
});
console.log(task.task_id, task.status);`,
    `
import uuid

with open("novel.txt", "rb") as book:
    answer = requests.post(
        f"{base}/tasks",
        headers={**key, "Idempotency-Key": str(uuid.uuid4())},
        data={${python.join(', ')}},
        files={"file": book},
    ).json()
print(answer["data"])`,
  );
}

export const actionVariants: readonly Variant[] = [
  {
    name: 'translation',
    summary:
      'Translates the whole source. `estimated_chars` reserves the credits of a file; with `char_limit` instead, only the opening is translated.',
    samples: create({ action: 'translation', target_lang: 'en', estimated_chars: 420000 }),
    response: actionAnswers.translation,
  },
  {
    name: 'preview_translation',
    summary: 'Translates an opening sample of `char_limit` characters, 3,000 unless told.',
    samples: create({ action: 'preview_translation', target_lang: 'en', char_limit: 3000 }),
    response: actionAnswers.preview_translation,
  },
  {
    name: 'token_estimate',
    summary: 'Free. Counts the characters and prices the run; poll it for the tokens.',
    samples: create({ action: 'token_estimate', target_lang: 'en', estimated_chars: 420000 }),
    response: actionAnswers.token_estimate,
  },
  {
    name: 'glossary_extraction',
    summary: 'Finds names and terms with their translations. With a `char_limit` up to 50,000 it answers at once.',
    samples: create({ action: 'glossary_extraction', target_lang: 'en', char_limit: 2000 }),
    response: actionAnswers.glossary_extraction,
  },
  {
    name: 'preview_metadata',
    summary: 'Free. Detects the language and lists the chapters. With a `char_limit` up to 50,000 it answers at once.',
    samples: create({ action: 'preview_metadata', char_limit: 20000 }),
    response: actionAnswers.preview_metadata,
  },
];
