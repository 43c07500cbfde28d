/** Requests and answers of chapters, the reader and corrections, for the reference and the OpenAPI document. */
import { base, bearer, type Example, inThree } from './three-languages.ts';

const json = `-H 'Content-Type: application/json'`;
const task = 'tasks/$TASK_ID';
const taskUrl = `{base}/tasks/{os.environ['TASK_ID']}`;

export const readingExamples: Readonly<Record<string, Example[]>> = {
  listChapters: inThree(
    `curl -s ${base}/${task}/chapters ${bearer}`,
    `
const { chapters } = await toledo.listChapters(process.env.TASK_ID!);
for (const chapter of chapters) console.log(chapter.index, chapter.translated_title ?? chapter.title, chapter.status);`,
    `
for chapter in requests.get(f"${taskUrl}/chapters", headers=key).json()["data"]["chapters"]:
    print(chapter["index"], chapter["translated_title"] or chapter["title"], chapter["status"])`,
  ),
  getChapter: inThree(
    `curl -s ${base}/${task}/chapters/1 ${bearer}`,
    `
const { blocks } = await toledo.getChapter(process.env.TASK_ID!, 1);
for (const block of blocks) console.log(block.translation);`,
    `
chapter = requests.get(f"${taskUrl}/chapters/1", headers=key).json()["data"]
for block in chapter["blocks"]:
    print(block["translation"])`,
  ),
  createReaderLink: inThree(
    `
curl -s ${base}/${task}/reader-link \\
  ${bearer} \\
  ${json} \\
  -d '{"editable": true, "expires_in": 86400}'`,
    `
const link = await toledo.readerLink(process.env.TASK_ID!, { editable: true, expires_in: 86400 });
console.log(link.url);`,
    `
link = requests.post(f"${taskUrl}/reader-link", headers=key, json={"editable": True, "expires_in": 86400}).json()["data"]
print(link["url"])`,
  ),
  revokeReaderLinks: inThree(
    `curl -s -X DELETE ${base}/${task}/reader-links ${bearer}`,
    `
const { revoked } = await toledo.revokeReaderLinks(process.env.TASK_ID!);
console.log(revoked);`,
    `
print(requests.delete(f"${taskUrl}/reader-links", headers=key).json()["data"]["revoked"])`,
  ),
  revokeReaderLink: inThree(
    `curl -s -X DELETE ${base}/${task}/reader-links/$LINK_ID ${bearer}`,
    `
const { revoked } = await toledo.revokeReaderLink(process.env.TASK_ID!, process.env.LINK_ID!);
console.log(revoked);`,
    `
link = f"${taskUrl}/reader-links/{os.environ['LINK_ID']}"
print(requests.delete(link, headers=key).json()["data"]["revoked"])`,
  ),
  correctTask: inThree(
    `
curl -s ${base}/${task}/corrections \\
  ${bearer} \\
  ${json} \\
  -d '{"corrections": [{"block_id": "b1", "source": "La carta llegó un martes.", "target": "The letter came on a Tuesday."}]}'`,
    `
// Or the text of an XLIFF or TMX file as an editor saved it.
const { taken, unchanged, refusals } = await toledo.correctTask(process.env.TASK_ID!, [
  { block_id: 'b1', source: 'La carta llegó un martes.', target: 'The letter came on a Tuesday.' },
]);
console.log(taken, unchanged, refusals);`,
    `
correction = {"block_id": "b1", "source": "La carta llegó un martes.", "target": "The letter came on a Tuesday."}
answer = requests.post(f"${taskUrl}/corrections", headers=key, json={"corrections": [correction]}).json()["data"]
print(answer["taken"], answer["unchanged"], answer["refusals"])`,
  ),
  remakeBook: inThree(
    `curl -s -X POST ${base}/${task}/corrected-book ${bearer}`,
    `
await toledo.remakeBook(process.env.TASK_ID!);
const book = await toledo.download(process.env.TASK_ID!, { file_id: 'corrected', to: 'corrected.txt', overwrite: true });
console.log(book.path, book.file_size);`,
    `
requests.post(f"${taskUrl}/corrected-book", headers=key).raise_for_status()
link = requests.get(f"${taskUrl}/download", params={"file_id": "corrected"}, headers=key).json()["data"]
print(link["file_name"], link["file_size"])`,
  ),
};

const chapter = {
  index: 1,
  title: 'Capítulo primero',
  characters: 9120,
  status: 'ready',
  final: true,
};

export const readingAnswers: Readonly<Record<string, object>> = {
  listChapters: {
    chapters: [
      { ...chapter, translated_title: 'Chapter One' },
      { ...chapter, index: 2, title: 'Capítulo segundo', translated_title: 'Chapter Two', characters: 10344 },
    ],
  },
  getChapter: {
    ...chapter,
    blocks: [
      { id: 'b1', kind: 'heading', source: 'Capítulo primero', translation: 'Chapter One', flags: [] },
      {
        id: 'b2',
        kind: 'paragraph',
        source: 'La carta llegó un martes.',
        translation: 'The letter arrived on a Tuesday.',
        flags: [],
      },
    ],
  },
  createReaderLink: {
    link_id: 'rdl_8ta8v2q3ra4acqps0bs2qqnr8c',
    url: 'http://127.0.0.1:8080/read/rdl_8ta8v2q3ra4acqps0bs2qqnr8c/…/',
    expires_at: '2026-11-16T08:30:00.000Z',
    expires_in: 86400,
    editable: true,
  },
  revokeReaderLinks: { revoked: 2 },
  revokeReaderLink: { revoked: 1 },
  correctTask: { taken: 1, unchanged: 0, refused: 0, refusals: [] },
};
