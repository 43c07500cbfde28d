/**
 * One encoding, no mercy: undefined as soon as a byte has no meaning in it. The runtime's decoders do the work, except
 * that its `euc-kr` knows only the 2,350 syllables of KS X 1001. It turns the other 8,822 of Windows-949, which Korean
 * files use freely, into a control character and a letter. Those syllables are added here.
 */
export function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  const text = label === 'euc-kr' ? decodeWindows949(bytes) : decodeWithRuntime(bytes, label);
  return text === undefined || (isLegacy(label) && meaningless.test(text)) ? undefined : text;
}

/** What legacy decoders give for bytes nobody assigned: control characters and noncharacters. */
// U+001A is the end-of-file mark of DOS editors.
const meaningless = /[\0-\u0008\u000e-\u0019\u001b-\u001f\u007f-\u009f\ufffd\ufffe\uffff]/;

function isLegacy(label: string): boolean {
  return !label.startsWith('utf-');
}

function decodeWithRuntime(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

let extension: Map<number, string> | undefined;

/** Splits at the syllables of the extension and leaves everything between them to the runtime. */
function decodeWindows949(bytes: Uint8Array): string | undefined {
  extension ??= extensionSyllables();
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i] as number;
    if (lead < 0x81) continue;
    const trail = bytes[i + 1] ?? 0;
    const syllable = extension.get((lead << 8) | trail);
    if (syllable !== undefined) {
      const between = i > from ? decodeWithRuntime(bytes.subarray(from, i), 'euc-kr') : '';
      if (between === undefined) return undefined;
      parts.push(between, syllable);
      from = i + 2;
    } else if (lead < 0xa1 || trail < 0xa1) return undefined;
    i++;
  }
  const rest = decodeWithRuntime(bytes.subarray(from), 'euc-kr');
  return rest === undefined ? undefined : parts.join('') + rest;
}

/** Windows-949 lays the syllables missing from KS X 1001 out in Unicode order over the free trail bytes. */
function extensionSyllables(): Map<number, string> {
  const rows: number[] = [];
  for (let lead = 0xb0; lead <= 0xc8; lead++) for (let trail = 0xa1; trail <= 0xfe; trail++) rows.push(lead, trail);
  const standard = new Set(decodeWithRuntime(Uint8Array.from(rows), 'euc-kr'));
  const table = new Map<number, string>();
  let lead = 0x81;
  let trail = 0x41;
  for (let code = 0xac00; code <= 0xd7a3; code++) {
    const syllable = String.fromCharCode(code);
    if (standard.has(syllable)) continue;
    table.set((lead << 8) | trail, syllable);
    trail++;
    if (trail === 0x5b) trail = 0x61;
    else if (trail === 0x7b) trail = 0x81;
    else if (trail === (lead < 0xa1 ? 0xff : 0xa1)) {
      lead++;
      trail = 0x41;
    }
  }
  return table;
}
