/** Mr., Mrs. and Miss in Spanish: the model leaves them, shortens them or translates them, as it comes. One form for a book. */

function titleFor(title: string): string {
  if (/^(?:mrs|mme|sra)$/iu.test(title)) return 'señora';
  return /^(?:miss|mlle|srta)$/iu.test(title) ? 'señorita' : 'señor';
}

const address =
  /(?<lead>^|[—–¡¿«"(]\s*|[.!?…:]\s+|,\s|\s)(?:(?<before>el|la|al|del|a|de|querid[oa]|mi|mayor|menor|joven) )?(?<title>Mr|Mister|Mrs|Miss|Sr|Sra|Srta|Mme|Mlle)\.? (?=\p{Lu}[\p{L}\p{M}'’-]+(?<after>[,.!?;:…—]?))/giu;

/** With the article that a title has everywhere but where somebody is spoken to. */
export function withSpanishTitles(text: string, source: string): string {
  const isSpeech = /^\s*[—–]/u.test(text);
  const titled = text.replace(address, (...found) => {
    const { lead = '', before, title = '', after = '' } = found.at(-1) as Record<string, string | undefined>;
    const isSpokenTo = after !== '' && (/[—–¡¿«"]\s*$/u.test(lead) || (isSpeech && lead.startsWith(',')));
    return `${lead}${addressed(titleFor(title), before, lead, isSpokenTo)} `;
  });
  return withKnights(titled, source);
}

function addressed(word: string, before: string | undefined, lead: string, isSpokenTo: boolean): string {
  const article = word === 'señor' ? 'el' : 'la';
  const small = before?.toLowerCase();
  if (small === 'a' || small === 'de') return article === 'el' ? `${before}l ${word}` : `${before} la ${word}`;
  if (before !== undefined) return `${before} ${word}`;
  const text = isSpokenTo ? word : `${article} ${word}`;
  const begins = lead === '' || /[.!?…:—–¡¿«"]\s*$/u.test(lead);
  return begins ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** A knight is no "señor": Sir William stays what he is. */
function withKnights(text: string, source: string): string {
  const knights = source.matchAll(/(?<!\p{L})Sir (?<name>\p{Lu}[\p{L}\p{M}'’-]+)/gu);
  const names = new Set(Array.from(knights, ({ groups }) => groups?.name ?? ''));
  return [...names].reduce((all, name) => {
    const sir = String.raw`señor ${RegExp.escape(name)}(?![\p{L}\p{M}])`;
    return all
      .replace(new RegExp(String.raw`(?<![\p{L}\p{M}])([Aa]|[Dd]e)l ${sir}`, 'gu'), `$1 sir ${name}`)
      .replace(new RegExp(String.raw`(?<![\p{L}\p{M}])(?:El s|S)${sir.slice(1)}`, 'gu'), `Sir ${name}`)
      .replace(new RegExp(String.raw`(?<![\p{L}\p{M}])(?:el )?${sir}`, 'gu'), `sir ${name}`);
  }, text);
}
