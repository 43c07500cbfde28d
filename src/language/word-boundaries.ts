/** Where a term may start and end inside a text, by script (`Ace` is not in `face`, 민수 is in 민수에게). */
import { isLetter, isUnspaced, type Script, script, scriptAt } from './scripts.ts';

/** `text` must be folded to lower case for the Semitic prefixes and Latin suffixes; it has no effect elsewhere. */
export function mayStartAt(text: string, index: number): boolean {
  const own = scriptAt(text, index);
  const before = scriptAt(text, index - 1);
  if (!isLetter(own) || before === script.none) return true;
  switch (own) {
    case script.han:
    case script.unspaced:
      return true;
    case script.hangul:
    case script.katakana:
    case script.hiragana:
      return before !== own;
    case script.arabic:
    case script.hebrew:
      return onlyPrefixBefore(text, index, own);
    default:
      // Latin inside Chinese or Japanese text has no space around it.
      return isUnspaced(before) || before === script.hangul;
  }
}

export function mayEndAt(text: string, end: number, suffixAllowed: (rest: string) => boolean): boolean {
  const own = scriptAt(text, end - 1);
  const after = scriptAt(text, end);
  if (!isLetter(own) || after === script.none) return true;
  switch (own) {
    case script.han:
    case script.unspaced:
      return true;
    case script.katakana:
      return after !== script.katakana;
    case script.hiragana:
      return after !== script.hiragana || matchesAt(hiraganaFollowers, text, end);
    case script.hangul:
      return after !== script.hangul || matchesAt(hangulFollowers, text, end);
    default:
      if (isUnspaced(after) || after === script.hangul) return true;
      return suffixAllowed(restOfWord(text, end));
  }
}

export function restOfWord(text: string, index: number): string {
  let end = index;
  while (end < text.length && end - index < 12) {
    const found = scriptAt(text, end);
    if (!isLetter(found) && found !== script.mark) break;
    if (isUnspaced(found)) break;
    end++;
  }
  return text.slice(index, end);
}

const hangulParticles =
  '은|는|이|가|을|를|의|에|에게|에게서|에서|에는|와|과|도|만|로|으로|부터|까지|처럼|보다|한테|께|께서|이나|나|라고|이라고|라는|이라는|란|이란|야|아|여|이여|랑|이랑|하고|마다|조차|마저|밖에|들|네|씨|님|군|양|선배|선생|선생님|이다|다|입니다|였다|이었다|이에요|예요|인|일|이며|며|이고|고|이지만|지만|뿐|대로|같은|같이';
const hangulFollowers = new RegExp(`(?:${hangulParticles}){1,3}(?![가-힣])`, 'y');
// A kana name is followed by a particle or an honorific; anything else is the inside of another word.
const hiraganaFollowers =
  /(?:さん|ちゃん|くん|さま|たち|ども)?(?:は|が|を|に|の|と|も|へ|で|や|か|よ|ね|って|から|まで|より|だ|です|じゃ|なら|ら)?(?:は|も|の|か|ね|よ)?(?![ぁ-ゖ])|(?:さん|ちゃん|くん|さま|は|が|を|に|の|と|も|へ|で|って|から|まで|より|だっ|でし|です|なら)/y;

const semiticPrefixes: Partial<Record<Script, RegExp>> = {
  [script.arabic]: /^[والبلفكس]{1,4}$/,
  [script.hebrew]: /^[והבלכמש]{1,3}$/,
};

function onlyPrefixBefore(text: string, index: number, own: Script): boolean {
  let start = index;
  while (start > 0 && index - start < 5 && scriptAt(text, start - 1) === own) start--;
  return start === index || semiticPrefixes[own]?.test(text.slice(start, index)) === true;
}

function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}
