/** Ruby in Markdown is HTML: `<ruby>漢字<rt>かんじ</rt></ruby>`. The base is text of the paragraph, the reading is not. */
import type { RubyReading } from '../document.ts';

export interface Ruby {
  base: string;
  readings: RubyReading[];
}

/** Undefined when there is more in it than words: then its tags are kept like those of any other HTML. */
export function readRuby(source: string): Ruby | undefined {
  const inner = /^<ruby\b[^<>]*>([^&\\*_`]*)<\/ruby\s*>$/i.exec(source)?.[1];
  if (inner === undefined) return undefined;
  const readings: RubyReading[] = [];
  let [base, word, reading, inside] = ['', '', '', ''];
  const end = () => {
    if (word && reading) readings.push({ base: word, reading });
    if (reading) [word, reading] = ['', ''];
  };
  for (const [piece, slash, name] of inner.matchAll(/<(\/?)(\w+)[^<>]*>|[^<>]+|[<>]/g)) {
    if (name !== undefined) {
      if (!/^(?:rb|rt|rp|rtc)$/i.test(name)) return undefined;
      inside = slash ? '' : name.toLowerCase();
    } else if (inside === 'rt') reading += piece;
    else if (inside === '' || inside === 'rb') {
      end();
      base += piece;
      word += piece;
    }
  }
  end();
  return { base, readings };
}
