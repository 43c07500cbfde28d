/** Short passages in many scripts, with everything that makes counting difficult. All written for these tests. */
export interface Passage {
  name: string;
  /** As it is sent, byte for byte. */
  sent: string;
  /** What the partner must be charged for: counted by hand or by the simplest loop, never by the product. */
  characters: number;
}

const passages: [name: string, sent: string][] = [
  ['Latin', 'The lamp on the quay was out. Nobody had lit it since Monday.'],
  ['Han', '码头上的灯灭了。从星期一起就没有人点过它。李明华叹了口气。'],
  ['Kana and Han', '波止場の灯りは消えていた。月曜から誰もともしていない。'],
  ['Hangul', '부두의 등불이 꺼져 있었다. 월요일부터 아무도 켜지 않았다.'],
  ['Cyrillic', 'Фонарь на пристани погас. С понедельника его никто не зажигал.'],
  ['Arabic', 'انطفأ المصباح على الرصيف. لم يشعله أحد منذ يوم الاثنين.'],
  ['Devanagari', 'घाट का दीपक बुझ गया था। सोमवार से किसी ने उसे नहीं जलाया।'],
  ['Thai', 'ตะเกียงที่ท่าเรือดับแล้ว ไม่มีใครจุดมันตั้งแต่วันจันทร์'],
  ['combining marks', 'Le caf\u0065\u0301 e\u0301tait ferme\u0301. Une a\u0302me errait, pre\u0300s du port.'],
  ['emoji sequences', 'The family 👩‍👩‍👧‍👦 waved. The flag 🏴‍☠️ did not. She smiled 👍🏽 and left.'],
  ['astral planes', 'He carved 𐍈𐌰𐌹𐍂𐌲𐍃 into the stone, then 𠮷 beneath it. It took all night.'],
  ['CRLF', 'One line of the letter.\r\nAnother line of it.\r\n\r\nAnd the end came.\r\n'],
  ['BOM', '\ufeffThe page began with nothing at all. Then it went on.'],
  ['spaces of many kinds', 'Wide\u3000space, thin\u2009space, no\u00a0break. They all stood in the margin.'],
];

/** The simplest loop: one per code point; CRLF counts once, a byte order mark at the start does not count. */
export function countByHand(text: string): number {
  let characters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (at === 0 && unit === 0xfeff) continue;
    if (unit === 0x0d && text.charCodeAt(at + 1) === 0x0a) continue;
    if (unit >= 0xdc00 && unit <= 0xdfff) continue;
    characters += 1;
  }
  return characters;
}

export const texts: readonly Passage[] = passages.map(([name, sent]) => ({
  name,
  sent,
  characters: countByHand(sent),
}));

/** A story of about this many characters, the same for the same seed; different seeds share no paragraph. */
export function story(characters: number, seed = 1): string {
  const lines: string[] = [];
  for (let length = 0, n = 0; length < characters; n++) {
    const line = `On evening ${n} of year ${seed} the lamplighter Corwin counted ${(n * 7919 + seed * 104_729) % 9973} sails and wrote to Brenna that the harbour was ${['quiet', 'loud', 'empty', 'frozen', 'full'][(n + seed) % 5]}.`;
    lines.push(line);
    length += line.length + 2;
  }
  return lines.join('\n\n');
}

/** Keeps the sandbox's slow engine busy for half a minute: on the slowest machine it has not ended when a test cancels it. */
export const longStory = (seed: number): string => story(100_000, seed);
