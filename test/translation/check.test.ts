import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkUnit, checkUnits } from '../../src/translation/checks/check.ts';
import { missedTerms, withoutLeftovers } from '../../src/translation/checks/expected-term.ts';
import { type CheckedUnit, isRejected } from '../../src/translation/checks/fault.ts';

function kinds(
  source: string,
  translation: string,
  sourceLang: string,
  targetLang: string,
  more: Partial<CheckedUnit> = {},
): string[] {
  const unit = { id: 'b1', kind: 'paragraph', source, translation, terms: [], ...more };
  return checkUnit(unit, { sourceLang, targetLang, instructions: ['canary-7Q Die alte Frau'] }).map(({ kind }) => kind);
}

const good: [string, string, string, string][] = [
  ['zh', 'en', '“走吧。”她说。', '“Let’s go,” she said.'],
  ['zh', 'en', '啊——！', 'Aaaaah!'],
  [
    'zh',
    'en',
    '林小雨推开门，看见院子里落满了雪，父亲正坐在炉火边，一言不发地擦着那把旧剑。',
    'Lin Xiaoyu pushed the door open and saw the courtyard deep in snow; her father was sitting by the fire, wiping the old sword without a word.',
  ],
  ['zh', 'en', '人生若只如初见。', 'If life could always be as it was when first we met.'],
  [
    'zh',
    'en',
    '作为一个人工智能，我不能替你做决定。',
    'As an artificial intelligence, I cannot decide for you, it said.',
  ],
  ['ja', 'en', '「ごめん、手伝えない」と彼は言った。', '“I’m sorry, but I can’t help you,” he said.'],
  ['ja', 'zh-Hans', '彼女は窓の外を見て、静かに笑った。雪はまだ降り続いている。', '她望着窗外，静静地笑了。雪还在下。'],
  ['en', 'de', 'Paris, London, New York.', 'Paris, London, New York.'],
  ['fr', 'en', '12, rue de la Paix, 75002 Paris', '12, rue de la Paix, 75002 Paris'],
  ['ru', 'en', 'Невский проспект, д. 12, кв. 4', 'Nevsky Prospekt 12, apt. 4'],
  ['en', 'de', 'Oh no! No, no, no!', 'Oh nein! Nein, nein, nein!'],
  [
    'en',
    'fr',
    'La la la la la la la la la la la la la la la la la la la la!',
    'La la la la la la la la la la la la la la la la la la la la !',
  ],
  ['en', 'ru', 'He read the note: MEET ME AT 10.', 'Он прочёл записку: ЖДУ В 10.'],
  [
    'en',
    'zh',
    'She had never, in all the long years of her exile, thought that the sea could be so quiet.',
    '流放的漫长岁月里，她从未想过大海竟会如此安静。',
  ],
  ['en', 'ja', 'Alice laughed.', 'アリスは笑った。'],
  ['en', 'ja', 'Chapter Three: The Lighthouse', '第三章　灯台'],
  ['ko', 'en', '민수는 고개를 끄덕였다. 그리고 아무 말도 하지 않았다.', 'Minsu nodded. And he said nothing at all.'],
  ['en', 'ar', 'The old woman closed the door and sat down beside the fire.', 'أغلقت العجوز الباب وجلست بجانب النار.'],
  ['en', 'th', 'The old woman closed the door and sat down beside the fire.', 'หญิงชราปิดประตูแล้วนั่งลงข้างกองไฟ'],
  [
    'zh-Hans',
    'zh-Hant',
    '他走进房间，看着窗外的雨，想起了很多年以前的事情。',
    '他走進房間，看著窗外的雨，想起了很多年以前的事情。',
  ],
  [
    'en',
    'de',
    'I cannot translate this letter for you; it is in a language I never learned.',
    'Ich kann diesen Brief nicht für dich übersetzen; er ist in einer Sprache, die ich nie gelernt habe.',
  ],
  [
    'la',
    'en',
    'Arma virumque cano, Troiae qui primus ab oris Italiam venit.',
    'I sing of arms and the man, who first from the shores of Troy came to Italy.',
  ],
  [
    'en',
    'de',
    'Here is the house where the old translator lived.',
    'Hier ist das Haus, in dem der alte Übersetzer wohnte.',
  ],
  [
    'en',
    'hr',
    'The dog slept under the table all afternoon, and nobody woke it.',
    'Pas je cijelo poslijepodne spavao pod stolom i nitko ga nije budio.',
  ],
];

test('good translations pass, short and strange ones too', () => {
  for (const [sourceLang, targetLang, source, translation] of good) {
    const unit = { id: 'b1', kind: 'paragraph', source, translation, terms: [] };
    const faults = checkUnit(unit, { sourceLang, targetLang });
    assert.ok(!isRejected(faults), `${translation}: ${faults.map(({ kind }) => kind).join()}`);
  }
});

const paragraph =
  'The old woman closed the door behind her, hung the wet coat on its nail and sat down beside the fire, where the cat was already asleep.';

test('what is no translation is rejected', () => {
  const cases: [string, string, string, string, string][] = [
    ['en', 'de', paragraph, '', 'missing'],
    ['en', 'de', paragraph, paragraph, 'echo'],
    ['en', 'de', paragraph, paragraph.replace('old', 'alte'), 'echo'],
    ['en', 'ru', paragraph, paragraph, 'echo'],
    ['en', 'zh', paragraph, 'Die alte Frau schloss die Tür hinter sich und setzte sich ans Feuer.', 'wrong-language'],
    ['en', 'ja', paragraph, '老妇人关上身后的门，把湿外套挂在钉子上，坐到炉火旁，猫已经睡着了。', 'wrong-language'],
    ['en', 'de', paragraph, 'Die alte Frau.', 'collapsed'],
    ['en', 'de', paragraph, 'Ha. '.repeat(200), 'repetition'],
    [
      'en',
      'de',
      paragraph,
      `${paragraph.slice(0, 20)} aber dann ${'und so weiter und so fort, '.repeat(8)}`,
      'repetition',
    ],
    [
      'en',
      'de',
      paragraph,
      'Als KI kann ich diesen Text nicht übersetzen, bitte haben Sie dafür Verständnis, vielen Dank.',
      'refusal',
    ],
    ['en', 'ru', paragraph, 'Извините, но я не могу перевести этот текст, так как он нарушает правила.', 'refusal'],
    ['en', 'zh', paragraph, '抱歉，我无法翻译这段内容，因为它不符合使用政策的要求。', 'refusal'],
    [
      'zh',
      'en',
      '老妇人关上身后的门，把湿外套挂在钉子上。',
      "I'm sorry, but I can't assist with that request.",
      'refusal',
    ],
    [
      'en',
      'de',
      paragraph,
      'Hier ist die Übersetzung: Die alte Frau schloss die Tür hinter sich, hängte den Mantel auf und setzte sich.',
      'leak',
    ],
    [
      'en',
      'de',
      paragraph,
      '```json {"b1": "Die alte Frau schloss die Tür hinter sich und setzte sich an das Feuer."}',
      'leak',
    ],
    [
      'en',
      'de',
      paragraph,
      'canary-7Q Die alte Frau schloss die Tür hinter sich und setzte sich an das Feuer zu der Katze.',
      'obeyed',
    ],
    [
      'ja',
      'zh',
      '彼女は窓の外を見て、静かに笑った。雪はまだ降り続いている。',
      '她望着窗外，静かに笑った。雪はまだ降り続いている。',
      'wrong-language',
    ],
    [
      'zh',
      'en',
      '林小雨推开门，看见院子里落满了雪，父亲正坐在炉火边。',
      'Lin Xiaoyu pushed the door open, 看见院子里落满了雪, and her father was sitting there.',
      'residue',
    ],
    ['en', 'de', paragraph, `Die alte Frau schloss die Tür, ${paragraph.slice(40)}`, 'residue'],
    ['en', 'de', 'A <1>red</1> door stood open.', 'Eine rote Tür stand offen.', 'tags'],
  ];
  for (const [sourceLang, targetLang, source, translation, kind] of cases) {
    const found = kinds(source, translation, sourceLang, targetLang);
    assert.ok(found.includes(kind), `${kind} not in ${found.join() || 'nothing'}: ${translation}`);
  }
});

test('numbers, quotes, lines and terms are flagged and never rejected', () => {
  assert.deepEqual(
    kinds('In 1848 there were 27 of them in the valley.', 'Damals waren viele von ihnen im Tal.', 'en', 'de'),
    ['numbers'],
  );
  assert.deepEqual(kinds('1,200 men', '1.200 Männer', 'en', 'de'), []);
  assert.deepEqual(kinds('“Go,” he said.', '“Geh, sagte er”.”', 'en', 'de'), ['quotes']);
  assert.deepEqual(kinds('one line\nand two', 'eine Zeile und zwei', 'en', 'de', { kind: 'verse' }), ['line-breaks']);
  const terms = [{ source: 'Alice', target: 'Алиса', partial: false }];
  assert.deepEqual(kinds('Alice slept.', 'Она спала.', 'en', 'ru', { terms }), ['term-missed']);
  assert.deepEqual(kinds('Alice slept.', 'Алисе спалось.', 'en', 'ru', { terms }), []);
});

const story = [
  'The bell rang twice over the harbour and then there was silence again.',
  'Nobody in the long hall dared to speak, and even the dogs under the table lay still.',
  'At last she rose, took the letter from the table, and read it aloud to the end without once looking up at the faces around her, though every one of them was turned to her.',
  'Rain began to fall.',
  'He took his hat and left by the small door, the one that only the servants used, and nobody stopped him.',
  'In the morning the boats were gone, and with them the three strangers who had come from the north with their heavy chests and their quiet ways.',
  'The bell did not ring that day, nor the next.',
];
const german = [
  'Die Glocke läutete zweimal über dem Hafen, dann war es wieder still.',
  'Niemand in der langen Halle wagte zu sprechen, und sogar die Hunde unter dem Tisch lagen still.',
  'Endlich stand sie auf, nahm den Brief vom Tisch und las ihn laut bis zum Ende vor, ohne ein einziges Mal in die Gesichter um sie her zu sehen, obwohl jedes von ihnen ihr zugewandt war.',
  'Es begann zu regnen.',
  'Er nahm seinen Hut und ging durch die kleine Tür, die nur die Diener benutzten, und niemand hielt ihn auf.',
  'Am Morgen waren die Boote fort, und mit ihnen die drei Fremden, die mit ihren schweren Truhen und ihrer stillen Art aus dem Norden gekommen waren.',
  'Die Glocke läutete an diesem Tag nicht und auch nicht am nächsten.',
];

function alignment(translations: readonly string[]): string[] {
  const units = story.map((source, i) => ({
    id: `b${i}`,
    kind: 'paragraph',
    source,
    translation: translations[i] ?? '',
    terms: [],
  }));
  const faults = checkUnits(units, { sourceLang: 'en', targetLang: 'de' });
  return [...faults].flatMap(([id, own]) => own.map(({ kind }) => `${kind}:${id}`));
}

test('right ids with wrong contents are noticed', () => {
  assert.deepEqual(alignment(german), []);
  const merged = german.with(0, `${german[0]} ${german[1]}`).with(1, 'Niemand sprach, auch nicht die Hunde.');
  assert.ok(
    alignment(merged).some((fault) => fault.startsWith('merged:b0')),
    alignment(merged).join(),
  );
  assert.ok(alignment(german.with(5, german[4] ?? '')).includes('duplicate:b5'));
  const shifted = [...german.slice(1), 'Und so endete es, wie es begonnen hatte.'];
  assert.equal(alignment(shifted).filter((fault) => fault.startsWith('shifted')).length, 7, alignment(shifted).join());
});

test('two paragraphs under each other’s number are noticed by what only one of them can have', () => {
  const term = (source: string, target: string) => ({ source, target, partial: false });
  const unit = (id: string, source: string, translation: string, more: Partial<CheckedUnit> = {}): CheckedUnit => ({
    id,
    kind: 'paragraph',
    source,
    translation,
    terms: [],
    ...more,
  });
  const context = { sourceLang: 'en', targetLang: 'de' };
  const shifted = (units: CheckedUnit[]) =>
    [...checkUnits(units, context)]
      .filter(([, faults]) => faults.some(({ kind }) => kind === 'shifted'))
      .map(([id]) => id);
  const [anna, boris] = ['Anna closed the door and went to bed.', 'Boris opened a window and looked outside.'];
  const [annaDe, borisDe] = ['Anna schloss die Tür und ging zu Bett.', 'Boris machte ein Fenster auf und sah hinaus.'];
  const names = [{ terms: [term('Anna', 'Anna')] }, { terms: [term('Boris', 'Boris')] }] as const;
  assert.deepEqual(shifted([unit('b1', anna, borisDe, names[0]), unit('b2', boris, annaDe, names[1])]), ['b1', 'b2']);
  assert.deepEqual(shifted([unit('b1', anna, annaDe, names[0]), unit('b2', boris, borisDe, names[1])]), []);
  const [year, chapter] = ['It was the winter of 1812.', 'Chapter 9'];
  assert.deepEqual(shifted([unit('b1', chapter, 'Es war der Winter 1812.'), unit('b2', year, 'Kapitel 9')]), [
    'b1',
    'b2',
  ]);
  const [speech, walk] = ['“Come home,” she said.', 'He did not answer her.'];
  assert.deepEqual(
    shifted([unit('b1', speech, 'Er gab ihr keine Antwort.'), unit('b2', walk, '„Komm heim“, sagte sie.')]),
    ['b1', 'b2'],
  );
  assert.deepEqual(
    shifted([unit('b1', speech, '„Komm heim“, sagte sie.'), unit('b2', walk, 'Er antwortete nicht.')]),
    [],
  );
});

test('a heading left as it was does not pass beside lines that were left too, nor alone in another script', () => {
  const context = { sourceLang: 'en', targetLang: 'ru' };
  const line = 'The rain had not stopped since the morning, and nobody had come to the lighthouse.';
  const units = [
    { id: 'b1', kind: 'heading', source: 'Chapter 9', translation: 'Chapter 9', terms: [] },
    { id: 'b2', kind: 'paragraph', source: 'Anna', translation: 'Анна', terms: [] },
    { id: 'b3', kind: 'paragraph', source: line, translation: line, terms: [] },
  ];
  const faults = checkUnits(units, context);
  assert.deepEqual(
    [...faults.values()].map((own) => own.map(({ kind }) => kind).join()),
    ['echo', 'suspect', 'echo'],
  );
  assert.deepEqual(kinds('Chapter 9', 'Κεφάλαιο 9', 'en', 'ru', { kind: 'heading' }), ['wrong-language']);
  assert.deepEqual(kinds('Chapter 9', 'Chapter 9', 'en', 'de', { kind: 'heading' }), ['suspect']);
  assert.deepEqual(kinds('Anna', 'Anna', 'en', 'de', { kind: 'heading' }), []);
  assert.deepEqual(kinds('Anna', 'Anna', 'en', 'ru'), ['suspect']);
});

test('short echoes, cut endings and dropped sentences are seen', () => {
  const cases: [string, string, string, string, string][] = [
    ['en', 'de', 'The Iron Gate', 'The Iron Gate', 'echo'],
    ['es', 'en', 'Los jardines perdidos', 'Los jardines perdidos', 'echo'],
    ['es', 'en', 'Raúl de Monteverde', 'Raúl de Monteverde', 'suspect'],
    [
      'en',
      'de',
      'She closed the door behind her. Then she sat down by the fire and slept.',
      'Sie schloss die Tür hinter sich. Dann setzte sie sich an das Feuer und',
      'cut',
    ],
    [
      'en',
      'de',
      'The ship came in at dawn with torn sails. Nobody stood at the quay. The old pilot had seen it first, and he wept.',
      'Das Schiff kam im Morgengrauen mit zerrissenen Segeln herein. Niemand stand am Kai.',
      'cut',
    ],
    [
      'es',
      'en',
      'La anciana cerró la puerta y se sentó junto al fuego mientras la lluvia caía sobre el tejado.',
      'La vieille femme ferma la porte et s’assit près du feu pendant que la pluie tombait sur le toit.',
      'wrong-language',
    ],
  ];
  for (const [sourceLang, targetLang, source, translation, kind] of cases) {
    const found = kinds(source, translation, sourceLang, targetLang);
    assert.ok(found.includes(kind), `${kind} not in ${found.join() || 'nothing'}: ${translation}`);
  }
});

test('names, songs and invented words are no echoes and no other language', () => {
  const cases: [string, string, string, string][] = [
    ['en', 'de', 'Anna Karenina', 'Anna Karenina'],
    ['en', 'de', 'La la la, la la la!', 'La la la, la la la!'],
    ['en', 'de', 'Hush.', 'Pst.'],
    ['en', 'fr', paragraph, 'Zorbim quelvar nidosto praxim vellu dromka ostiri banlo tevrin saldo quirim posta neldi.'],
  ];
  for (const [sourceLang, targetLang, source, translation] of cases) {
    const found = kinds(source, translation, sourceLang, targetLang);
    for (const kind of ['echo', 'suspect', 'wrong-language'])
      assert.ok(!found.includes(kind as never), `${kind}: ${translation}`);
  }
});

const harbour = { source: 'Puerto Calmo', target: 'Calm Harbour', partial: false };

test('a term that is half applied is missed, and what is left of it beside the rendering is taken out', () => {
  const source = 'El barco llegó a Puerto Calmo.';
  for (const [left, mended] of [
    ['The boat came to Puerto Calm Harbour.', 'The boat came to Calm Harbour.'],
    ['The boat came to Puerto de Calm Harbour.', 'The boat came to Calm Harbour.'],
    ['The boat came to Calm Harbour Calmo, late.', 'The boat came to Calm Harbour, late.'],
    ['Calm Harbour lay there; Puerto <1>Calm</1> Harbour.', undefined],
  ] as const) {
    const text = left.replaceAll(/<.*?>/g, '');
    assert.deepEqual(missedTerms(text, [harbour], 'en'), [harbour], left);
    assert.deepEqual(kinds(source, text, 'es', 'en', { terms: [harbour] }), ['term-missed']);
    assert.equal(withoutLeftovers(left, [harbour], 'en'), mended ?? left);
  }
  for (const whole of [
    'The boat came to Calm Harbour.',
    'In Calm Harbour the port of Rico is near; Puerto Rico is far.',
  ])
    assert.deepEqual(missedTerms(whole, [harbour], 'en'), [], whole);
});

test('a rendering that keeps words of the source, and a small word of the target language, leave nothing over', () => {
  const terms = [
    { source: 'Madame Bovary', target: 'Mrs Bovary', partial: false },
    { source: 'Isla de la Luna', target: 'Moon Island', partial: false },
    { source: '平静港', target: 'Calm Harbour', partial: false },
  ];
  const text = 'Mrs Bovary sailed from Calm Harbour to the Moon Island.';
  assert.deepEqual(missedTerms(text, terms, 'en'), []);
  assert.equal(missedTerms('They sailed from 平Calm Harbour.', terms.slice(2), 'en').length, 1);
  assert.equal(missedTerms('They saw Isla Moon Island.', terms.slice(1, 2), 'en').length, 1);
});

test('a heading that loses its words is no translation', () => {
  const heading = { kind: 'heading' };
  for (const [source, translation] of [
    ['IX Le soir des fiançailles', 'CHAPTER IX.'],
    ['IX — Le soir des fiançailles', 'IX'],
    ['Le soir des fiançailles', 'Chapter 9'],
    ['第九回 王熙凤弄权铁槛寺', 'Chapter 9'],
    ['Chapitre 9 : Conspiration', 'Chapter Nine.'],
  ] as const) {
    const lang = /\p{Script=Han}/u.test(source) ? 'zh' : 'fr';
    assert.ok(kinds(source, translation, lang, 'en', heading).includes('title-lost'), source);
  }
  for (const [source, translation] of [
    ['IX Le soir des fiançailles', 'IX The Evening of the Betrothal'],
    ['Chapitre vingt et un', 'Chapter XXI'],
    ['Chapitre IX', 'CHAPTER IX.'],
    ['第九回', 'Chapter 9'],
    ['Neuf', '9'],
    ['XIV', 'XIV'],
  ] as const)
    assert.ok(!kinds(source, translation, 'fr', 'en', heading).includes('title-lost'), source);
});
