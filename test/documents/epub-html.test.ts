import { openArchive } from '../../src/documents/archive/archive.ts';
import { testConformance } from './conformance.ts';
import { sampleEpub2, sampleEpub3, sampleHtml, sampleVerticalEpub } from './sample-books.ts';

const partsOf = (bytes: Uint8Array) => {
  const archive = openArchive(bytes);
  return new Map(archive.entries.map((entry) => [entry.name, archive.read(entry.name) as Uint8Array]));
};
const mayChange = (part: string) => /\.(x?html|opf|ncx)$/.test(part);

testConformance({
  name: 'EPUB 3',
  bytes: sampleEpub3(),
  sourceLang: 'en',
  targetLang: 'de',
  partsOf,
  mayChange,
  keeps: ['* * *', '<hr/>', 'lamp = 1;', '&lt;1&gt;', '<td>12</td>', 'href="notes.xhtml#n1"', 'lang="fr"'],
});

testConformance({
  name: 'EPUB 2',
  bytes: sampleEpub2(),
  sourceLang: 'fr',
  targetLang: 'en',
  partsOf,
  mayChange,
  keeps: ['⁂', '<sup><a href="deux.html#fin" id="a1">1</a></sup>', '<a id="c1"></a>'],
});

testConformance({
  name: 'vertical Japanese EPUB',
  bytes: sampleVerticalEpub(),
  sourceLang: 'ja',
  targetLang: 'en',
  partsOf,
  mayChange,
  keeps: ['◆', '「……」', 'page-progression-direction="ltr"', 'horizontal-tb'],
  drops: ['とうだい', 'ひかり', '<ruby>', 'lang="ja"'],
});

testConformance({
  name: 'HTML',
  bytes: sampleHtml(),
  fileName: 'pagina.html',
  sourceLang: 'es',
  targetLang: 'ar',
  partsOf: (bytes) => new Map([['page', bytes]]),
  mayChange: () => true,
  keeps: ['<hr>', 'var x = "no";', 'oculto', 'dir="rtl"', 'lang="ar"'],
});
