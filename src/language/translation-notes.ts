/**
 * Where translators of novels stumble in a language pair, in a few sentences for the prompt; a pair gets only its own. The grammar is
 * common knowledge of the languages. The marks of dialogue follow what publishers' and proofreaders' pages on the French tiret and
 * guillemets and on the Spanish raya agree on. The Spanish pages repeat the Real Academia. The marks of dialogue in Chinese and Japanese
 * follow W3C's clreq and jlreq.
 */
import { baseCode } from './languages.ts';

export function translationNotes(sourceLang: string, targetLang: string): string[] {
  const [source, target] = [baseCode(sourceLang), baseCode(targetLang)];
  return [
    from[source],
    fullWidth.has(source) && !fullWidth.has(target) ? fromFullWidth : undefined,
    gendered.has(target) && genderless.has(source) ? genderFromNothing : undefined,
    into[target],
    gendered.has(target) ? agreement : undefined,
    twoForms.has(target) && !twoForms.has(source) ? addressFromContext : undefined,
    twoForms.has(source) && !twoForms.has(target) ? addressToNothing : undefined,
  ].filter((note) => note !== undefined);
}

/** What the source hides. */
const from: Readonly<Record<string, string>> = {
  ja: 'Japanese leaves out subjects, objects and pronouns: find out who acts from the verbs of giving and receiving, from the level of politeness and from the paragraph before, and do not fill the gap with "it" or with a passive. Keigo (敬語) shows rank and distance, so its weight belongs into the wording and the form of address and not into stiff phrases. Sentence endings (ね, よ, ぞ, わ, かしら) are a voice, and a translation gives that voice by rhythm and choice of words. Onomatopoeia becomes a verb or a sound of the target language. Suffixes such as さん, 様, 君, ちゃん and 先生 are treated as the decisions for this book say, and in the same way everywhere.',
  zh: 'Chinese has neither tense nor number: 了, 过 and 着 tell how an action lies in time, not when, so the time of the story decides on the tense and one time holds through a scene. Four-character idioms (成语) and proverbs are translated by what they mean here, in an image of the target language where it has one, and never character by character. Topic comes first and subjects fall away; long chains of short clauses become sentences with joints. 他, 她 and 它 sound alike and are easily confused in a typed text: check them against the names. Kinship words (哥, 姐, 叔, 师兄) often address people who are not kin. Titles stand after the name, and the surname stands first.',
  ko: 'Korean leaves out subjects and marks respect in the verb (존댓말, 반말): a change of speech level in a dialogue is an event and must be heard. Kinship words (오빠, 누나, 형, 언니) are used for people who are not kin. Family names stand first. Sounds and mimetic words become verbs or sounds of the target language.',
  en: 'The English "you" and the plain past tense hide distinctions that other languages make: decide them by the people and the scene, and keep to the decision. Participles and phrases with "with" are usually better as clauses of their own. Stress that English marks by italics becomes word order or a particle where the target language has one.',
  de: 'German speech particles (doch, ja, mal, eben, wohl, schon) carry the attitude of the speaker: render the attitude, not the word. Reported speech in the subjunctive is the speech of another, and the reader must not take it for fact. Long frames and compound nouns are taken apart.',
  fr: 'The passé simple tells, the imparfait describes, and the difference must survive. "On" may be we, people, somebody or nobody in particular. Present tense in a narrative of the past is a device of the author and is kept where the target language bears it.',
  ru: 'Russian has no article and marks aspect in the verb: whether something was done, was being done or was done again must come out. Patronymics and short names (Александр, Саша, Шура) are one person, and the change of name tells of nearness; the glossary says what to do with them. The historical present and sentences without a verb are normal in Russian and not always elsewhere.',
  es: 'Subjects fall away in Spanish: take the person from the verb and the scene. The pretérito tells, the imperfecto describes. Diminutives carry affection or irony and seldom size.',
  it: 'Subjects fall away in Italian: take the person from the verb and the scene. Passato remoto and imperfetto divide event from background. Suffixes (-ino, -one, -accio) carry an attitude.',
  la: 'Latin leaves out subjects and ties long periods together with participles: take them apart into the sentences of the target language.',
};

const fullWidth = new Set(['zh', 'ja', 'ko']);
const fromFullWidth =
  'Quotation marks 「」『』 and “” become those of the target language, ， 、 。 ！ ？ and …… become its half-width marks, and —— becomes its dash. No full-width character remains.';

const genderless = new Set(['zh', 'ja', 'ko', 'tr', 'fi', 'hu', 'et', 'fa', 'vi', 'th', 'id', 'ms']);
const genderFromNothing =
  'The source often does not show the gender that your grammar asks for: take it from the glossary, then from the passage before, and where both are silent choose a wording that needs none.';

/** What the target asks for. */
const into: Readonly<Record<string, string>> = {
  de: 'The narrative tense is the Präteritum, with the Plusquamperfekt for what lay before, unless the source tells in the present. Reported speech and thought stand in the Konjunktiv I, or in Konjunktiv II where the first cannot be told from the indicative. Du and Sie are settled once for each pair of people and change only in a scene that changes them; du and ihr are written small, also in letters unless the decisions say otherwise. Speech stands in „…“ with ‚…‘ inside. A comma divides clauses; the dash is – with spaces.',
  fr: 'The tense of narration is the passé simple with the imparfait, unless the source tells in the present. Speech opens with an em dash and a space (— …) at the head of a paragraph, or stands in « … » with non-breaking spaces, as the decisions for this book say; a short clause of saying (dit-elle, répondit-il) is inverted, begins small and needs no new marks. A non-breaking space stands before ; : ! ?. Tu and vous are settled once for each pair of people and change only in a scene that changes them.',
  es: 'Dialogue is marked by the raya (—) and not by quotation marks: it opens the speech without a space, encloses what the narrator puts in, and is left out at the end of a paragraph; a clause that begins with a verb of saying begins small. Questions and exclamations open with ¿ and ¡. Tú, usted, vosotros and ustedes follow the decisions for this book and its region. Pretérito tells, imperfecto describes; subject pronouns are left out unless they stress.',
  pt: 'Dialogue opens with a travessão (— and a space), which also encloses what the narrator puts in. Decide between European and Brazilian usage by the decisions for this book and mix neither forms of address nor the place of pronouns. Subject pronouns are left out unless they stress.',
  it: 'The tense of narration is the passato remoto with the imperfetto, unless the source tells in the present. Tu, Lei and voi are settled once for each pair of people. Speech stands in «…» or after a dash, as the decisions for this book say. Subject pronouns are left out unless they stress.',
  en: 'Choose British or American spelling and quotation marks by the decisions for this book and keep to them. Prefer the verb to the noun and the active to the passive where the author does. Contractions belong to speech, and to a narrator who speaks.',
  nl: 'Je, jij and u are settled once for each pair of people. Speech stands in ‘…’. Diminutives carry a tone and are not sprinkled in.',
  ru: 'Speech opens with an em dash and a space at the head of a paragraph; quotations inside a text stand in «…». Choose the aspect of every verb for its place in the story. Ты and вы are settled once for each pair of people; вы is written small in dialogue.',
  uk: 'Speech opens with an em dash and a space at the head of a paragraph; quotations inside a text stand in «…». Use the vocative in address. Ти and ви are settled once for each pair of people.',
  pl: 'Speech opens with an em dash and a space at the head of a paragraph. Pan and pani take the third person and the vocative in address (panie, pani). Choose the aspect of every verb for its place in the story.',
  cs: 'Speech stands in „…“. Use the vocative in address. Ty and vy are settled once for each pair of people. Choose the aspect of every verb for its place in the story.',
  zh: 'Use full-width punctuation: ，。！？；： with 、 between the items of a list, “…” with ‘…’ inside (in traditional script 「…」 with 『…』), —— for the dash and …… for the ellipsis, and 《…》 for titles of works. Foreign names have · between their parts. Say 你 or 您 as settled for each pair of people. Do not stack 的, do not copy passives with 被 or plurals with 们, and leave pronouns out where the sentence is clear.',
  ja: 'Use 「…」 for speech with 『…』 inside, 、 and 。, …… and ――, and no space between words; 。 is left out before 」. Foreign names have ・ between their parts. First persons (私, 僕, 俺) and speech endings are chosen for each character once and kept. Leave subjects and 彼 or 彼女 out wherever the sentence is clear. The narrator keeps to である・だ or to です・ます throughout.',
  ko: 'Speech stands in “…” with ‘…’ inside. Speech level (해체, 해요체, 하십시오체) and terms of address are settled once for each pair of people. Use 그 and 그녀 sparingly and leave subjects out where the sentence is clear. The narrator keeps to the plain style (-다).',
  ar: 'Use Arabic punctuation (، ؛ ؟) and «…» for speech. Verbs and adjectives agree in gender and number, the dual included.',
  he: 'Verbs, adjectives and "you" agree in gender. Speech stands in ״…״ or "…", as the decisions for this book say.',
  tr: 'Sen and siz are settled once for each pair of people. Verbs stand last; -miş tells what is hearsay or noticed late, -di what the narrator vouches for.',
  vi: 'Every "I" and "you" is a word of kinship or rank (anh, em, chị, ông, cô, con …): settle the pair of words for each two people once, and change it only in a scene that changes their relation.',
};

/** Verbs of the past or adjectives agree with the gender of persons, the speaker's too. */
const gendered = new Set(
  'fr es pt it ca gl ro ru uk be pl cs sk sl hr sr bs bg mk lt lv ar he hi ur mr gu pa'.split(' '),
);
const agreement =
  'Adjectives, participles and in some languages verbs of the past agree with the gender of the person, also of an "I" and a "you": know who speaks to whom before you write the sentence, and keep it through the scene.';

/** Languages whose "you" shows nearness or distance. */
const twoForms = new Set(
  'de fr es pt it ca gl ro ru uk be pl cs sk sl hr sr bs bg mk lt lv nl da fi et hu tr el hi ur fa zh ja ko vi id'.split(
    ' ',
  ),
);
const addressFromContext =
  'The source has one "you" and your language has more: take the form from the decisions for this book; where they are silent, judge by age, rank, nearness and period, and give both people of a pair what fits the scene.';
const addressToNothing =
  'The forms of address of the source are lost in your language: let nearness and distance be heard in names, titles and the tone of the sentence, and mark a change between the forms where it is an event.';
