/** Encodes text in a legacy encoding by turning the runtime's decoder round; only for making test input. */
export function encodeLegacy(text: string, label: string): Uint8Array {
  const table = tableOf(label);
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    const found = code < 0x80 ? [code] : table.get(char);
    if (found === undefined) throw new Error(`${label} cannot hold ${char}`);
    bytes.push(...found);
  }
  return Uint8Array.from(bytes);
}

/** Replaces what the encoding cannot hold, as any editor would have before saving. */
export function encodable(text: string, label: string): string {
  const table = tableOf(label);
  const plain: Record<string, string> = {
    '’': "'",
    '‘': "'",
    '“': '"',
    '”': '"',
    '„': '"',
    '—': '-',
    '–': '-',
    '…': '...',
    '»': '"',
    '«': '"',
    ё: 'е',
    ș: 'ş',
    ț: 'ţ',
    Ș: 'Ş',
    Ț: 'Ţ',
  };
  return [...text].map((char) => (char < '\u0080' || table.has(char) ? char : (plain[char] ?? ''))).join('');
}

const tables = new Map<string, Map<string, number[]>>();

function tableOf(label: string): Map<string, number[]> {
  const known = tables.get(label);
  if (known !== undefined) return known;
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(label);
  const add = (bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && text >= '\u00a0' && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0x80; byte <= 0xff; byte++) add([byte]);
  if (['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'].includes(label)) {
    for (let lead = 0x81; lead <= 0xfe; lead++) for (let trail = 0x40; trail <= 0xfe; trail++) add([lead, trail]);
  }
  tables.set(label, table);
  return table;
}
