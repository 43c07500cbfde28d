/**
 * Whether a chain of characters is an ordinary word. The runtime's own dictionary, which it cuts Chinese and Japanese
 * lines with, keeps the words it knows in one piece. A few famous names are in it too, so it is one sign among others.
 */
export function isDictionaryWord(word: string, language: 'zh' | 'ja'): boolean {
  const [first] = segmenters[language].segment(word);
  return first?.segment === word;
}

const segmenters = {
  zh: new Intl.Segmenter('zh', { granularity: 'word' }),
  ja: new Intl.Segmenter('ja', { granularity: 'word' }),
};
