/**
 * Reads numbered records out of a model's answer. The format asked for is `{"t":["1 …","2 …"]}`; other forms that
 * models use are read by number too: fences and think blocks around it, objects keyed by number, one record per line,
 * broken JSON. Numbers that were not asked for are dropped, and so are numbers given twice with different texts,
 * because we cannot tell which one is right.
 */
export function readRecords(answer: string, count: number): Map<number, string> {
  const text = unwrapAnswer(answer);
  const found = readJson(text) ?? readJsonLines(text) ?? [...readStrings(text), ...readPlainLines(text)];
  const records = new Map<number, string>();
  const contradicted = new Set<number>();
  for (const [number, value] of found) {
    if (number < 1 || number > count || value.trim() === '') continue;
    const earlier = records.get(number);
    if (earlier !== undefined && earlier !== value) contradicted.add(number);
    records.set(number, value);
  }
  for (const number of contradicted) records.delete(number);
  return records;
}

/** Only around the answer: a novel may well contain `<think>` or three backticks. */
export function unwrapAnswer(answer: string): string {
  let text = answer.trim();
  text = text.replace(/^<(think|thinking|reasoning)>[\s\S]*?<\/\1>/iu, '').trim();
  // Some servers drop the opening tag.
  if (!/^[[{]/u.test(text)) text = text.replace(/^[\s\S]*?<\/(?:think|thinking|reasoning)>\s*(?=[[{`])/iu, '').trim();
  const fenced = /^[^\n{[]*?```[a-z]*\s*\n?([\s\S]*?)\n?\s*```[^`]*$/iu.exec(text);
  return (fenced?.[1] ?? text).trim();
}

/** The outermost JSON value in a text, if it is whole. */
export function parseOuterJson(text: string): unknown {
  const start = text.search(/[[{]/u);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  if (start < 0 || end <= start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

type Entry = [number: number, text: string];

function readJson(text: string): Entry[] | undefined {
  const value = parseOuterJson(text);
  const entries = value === undefined ? [] : readValue(value);
  return entries.length > 0 ? entries : undefined;
}

function readValue(value: unknown): Entry[] {
  if (typeof value === 'string') return numbered(value);
  if (Array.isArray(value)) return value.flatMap(readValue);
  if (typeof value !== 'object' || value === null) return [];
  const record = value as Record<string, unknown>;
  const id = record.id ?? record.i ?? record.n;
  const body = record.text ?? record.t ?? record.translation;
  if ((typeof id === 'number' || typeof id === 'string') && typeof body === 'string') return [[Number(id), body]];
  return Object.entries(record).flatMap(([key, inner]): Entry[] => {
    if (/^\d+$/u.test(key)) return typeof inner === 'string' ? [[Number(key), inner]] : [];
    return typeof inner === 'object' ? readValue(inner) : [];
  });
}

function readJsonLines(text: string): Entry[] | undefined {
  const entries = text
    .split('\n')
    .map((line) => line.trim().replace(/,$/u, ''))
    .filter((line) => /^[{["]/u.test(line))
    .flatMap((line) => {
      try {
        return readValue(JSON.parse(line));
      } catch {
        return [];
      }
    });
  return entries.length > 0 ? entries : undefined;
}

/**
 * Broken or cut JSON: every string that opens with a number and is closed before the next one or the end of the list.
 * Also reads past quotation marks the model forgot to escape. A string without its end is not taken: it was cut.
 */
function readStrings(text: string): Entry[] {
  const openings = [...text.matchAll(/(?:[[,]|^)\s*"(?=\d+[\s.:)])/gu)];
  return openings.flatMap((opening, index) => {
    const from = opening.index + opening[0].length;
    const rest = text.slice(from, openings[index + 1]?.index ?? text.length);
    const closed = index + 1 < openings.length ? /^([\s\S]*)"\s*$/u.exec(rest) : lastClosed.exec(rest);
    return closed?.[1] === undefined ? [] : numbered(unescapeLoosely(closed[1]));
  });
}

/** The end of the list, or a cut within the opening of the next string. */
const lastClosed = /^([\s\S]*?)"\s*(?:\][\s\]}]*|,\s*(?:"\d*)?)$/u;

/** `1 text` on lines of their own, from models that ignore JSON. Not for anything that tried to be JSON. */
function readPlainLines(text: string): Entry[] {
  if (/["'{}[\]]\s*\d+\s|^\s*[[{]/u.test(text)) return [];
  return text.split('\n').flatMap((line) => numbered(line.trim()));
}

function numbered(text: string): Entry[] {
  const [, number, body] = /^\s*#?(\d{1,4})(?:[.:)]\s|\s|(?=[^\d\s.,:]))([\s\S]*)$/u.exec(text) ?? [];
  return number === undefined || body === undefined ? [] : [[Number(number), body]];
}

function unescapeLoosely(raw: string): string {
  try {
    return JSON.parse(
      `"${raw
        .replace(/(?<!\\)"/gu, '\\"')
        .replaceAll('\n', '\\n')
        .replaceAll('\t', '\\t')}"`,
    );
  } catch {
    return raw.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  }
}
