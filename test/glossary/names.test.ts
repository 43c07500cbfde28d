import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { mineNames } from '../../src/glossary/mine/mine.ts';

const names = (texts: readonly string[], language: string) =>
  mineNames(texts, language).candidates.map(({ source }) => source);
const repeat = (texts: readonly string[], times: number) => Array.from({ length: times }, () => texts).flat();

describe('names by statistics alone', () => {
  it('are not the first words of speech, whatever opens it', () => {
    const openings = ['--Et', '— Et', '– Et', '-Et', '« Et', '"Et', '“Et', '„Et', '…Et', ': Et', '(Et', '_Et'];
    const lines = openings.flatMap((opening) => [
      `${opening} toi, dit Margot, tu viens et tu pars.`,
      `Elle vit Margot ${opening} puis elle partit.`,
    ]);
    const found = names(repeat(lines, 3), 'fr');
    assert.ok(found.includes('Margot'));
    assert.ok(!found.includes('Et'), found.join());
  });

  it('are judged by ratios: three stray capitals do not outweigh a thousand small letters', () => {
    const lines = [
      ...repeat(['Then the river rose and the river fell, and Harlan watched the river.'], 50),
      ...repeat(['They called it the River, and Harlan laughed.'], 3),
    ];
    const found = names(lines, 'en');
    assert.ok(found.includes('Harlan'));
    assert.ok(!found.includes('River'), found.join());
  });

  it('are not taken from headings and contents pages', () => {
    const contents = Array.from({ length: 40 }, (_, i) => `The Long Winter Returns ${i + 1}`);
    const found = names([...contents, ...repeat(['At dawn Odile came back to the mill.'], 5)], 'en');
    assert.deepEqual(found, ['Odile']);
  });

  it('lose their titles, which say that they are persons and of which gender', () => {
    const lines = repeat(
      [
        'So Mrs. Pell smiled at Mr. Arden.',
        'He asked Mrs. Pell about the sea.',
        'Then she saw Mr. Arden leave Dunmore.',
      ],
      4,
    );
    const found = mineNames(lines, 'en').candidates;
    const of = (name: string) => found.find(({ source }) => source === name);
    assert.deepEqual([of('Pell')?.type, of('Pell')?.gender], ['person', 'female']);
    assert.deepEqual([of('Arden')?.type, of('Arden')?.gender], ['person', 'male']);
    assert.deepEqual([of('Dunmore')?.type, of('Dunmore')?.gender], ['unknown', 'unknown']);
    assert.ok(!found.some(({ source }) => /^M/.test(source)));
  });

  it('are told from the other nouns of German, which all have capitals', () => {
    const lines = repeat(
      [
        'Bruno nahm das Brot von dem Tisch und sah in die Nacht.',
        'Der Wind trug die Stimme über das Wasser, und Bruno schwieg.',
        '„Das Wasser steigt“, sagte Wiebke zu Bruno.',
        'Wiebke stellte die Lampe auf den Tisch, denn die Nacht war lang.',
        'Herr Harms hörte den Wind und schloss das Fenster, dann rief Wiebke nach dem Brot.',
        'Auf dem Deich stand Herr Harms und zeigte auf das Wasser.',
      ],
      4,
    );
    const found = mineNames(lines, 'de').candidates;
    assert.deepEqual(found.map(({ source }) => source).sort(), ['Bruno', 'Harms', 'Wiebke']);
  });

  it('are not the bare plurals, measures, words of address and exclamations of German either', () => {
    const lines = repeat(
      [
        'Tränen standen in ihren Augen, und eine Träne fiel auf den Brief.',
        'Meilen lagen hinter Wiebke, zwanzig Meilen waren es noch, und 12 Meilen bis zum Meer.',
        'Miß Alden nickte. „Freiheit“, sagte Miß Alden zu Wiebke, „ist ein Wort.“',
        '„Ha! Verzeihung“, rief Wiebke. Freiheit sagte ihr nichts. Ha, sagte sie, und Wiebke schwieg.',
      ],
      5,
    );
    const found = mineNames(lines, 'de').candidates.map(({ source }) => source);
    assert.deepEqual(found.sort(), ['Alden', 'Wiebke']);
  });

  it('are joined over their case forms, under a nominative that may be missing from the text', () => {
    const lines = repeat(
      [
        'Вчера утром Лавров увидел Веру и подал Вере руку, а Вера улыбнулась.',
        'Без Веры дом был пуст, и он думал о Лаврове с Верой.',
        'Тогда Лаврову сказали, что у Лаврова гости, и они пошли к Лаврову.',
        'Он боялся Заболотского и писал Заболотскому, споря с Заболотским.',
        'Потом Игорь Петрович вышел, и все ждали Игоря Петровича у ворот.',
      ],
      4,
    );
    const found = mineNames(lines, 'ru').candidates;
    const of = (name: string) => found.find(({ source }) => source === name);
    assert.deepEqual(of('Вера')?.aliases.sort(), ['Вере', 'Верой', 'Веру', 'Веры']);
    assert.deepEqual(of('Лавров')?.aliases.sort(), ['Лаврова', 'Лаврове', 'Лаврову']);
    assert.deepEqual(of('Заболотский')?.aliases.sort(), ['Заболотским', 'Заболотского', 'Заболотскому']);
    assert.deepEqual(of('Игорь Петрович')?.aliases, ['Игоря Петровича']);
  });

  it('keep the particle that always stands before them: d’Orval', () => {
    const lines = repeat(['Alors d’Orval entra.', 'Elle parla à d’Orval du comte.', 'Ce fut d’Orval qui rit.'], 4);
    assert.ok(
      mineNames(lines, 'fr').candidates.some(
        ({ source, aliases }) => source === "d'Orval" && aliases.includes('Orval'),
      ),
    );
  });

  it('are people who act and are addressed in Korean, not things and places', () => {
    const lines = repeat(
      [
        '민식이가 마당에 서 있었다. 수연 씨는 웃었다.',
        '그 사람은 학교에서 책을 읽었다. 민식은 책을 덮었다.',
        '수연이 민식에게 편지를 주었다. 민식이를 부르는 소리가 들렸다.',
        '낡은 학교로 가는 길에서 수연 씨가 민식이에게 말했다.',
      ],
      4,
    );
    assert.deepEqual(names(lines, 'ko').sort(), ['민식', '수연']);
  });
});

test('German: nouns that stand bare are no names, and names that have an article are', () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) => [
    `„Gute Nacht, Großvater!“ rief der Ruprecht. Es war Nacht, und Nacht blieb es. Turm und Mauer lagen da, Kartoffeln gab es genug, Nummer ${i}.`,
    'Der Wenzel ging nach Birkenau. In Birkenau schlief man schon. „Komm“, sagte der Wenzel, „Museum ist zu.“ Museum hin oder her, der Ruprecht lachte.',
  ]).flat();
  const names = mineNames(paragraphs, 'de').candidates.map(({ source }) => source);
  assert.deepEqual(names.toSorted(), ['Birkenau', 'Ruprecht', 'Wenzel']);
});

test('Chinese: who speaks is named, also with characters that every sentence has, and offices are not', () => {
  const lines = Array.from({ length: 40 }, (_, i) => [
    `行者道：“师父，第${i}条路不好走。”三藏道：“且慢些走。”行者便去前面看路，只见山高水深。`,
    '长老道：“天色已晚。”大圣道：“不妨，不妨。”三藏下马，行者牵了马，八戒挑着担子。八戒道：“我饿了。”',
    '妖精笑道：“来得好！”大圣抡起棒来就打，长老吃了一惊。众人道：“好棒！”',
  ]).flat();
  const names = mineNames(lines, 'zh').candidates.map(({ source }) => source);
  for (const name of ['行者', '三藏', '大圣', '八戒']) assert.ok(names.includes(name), `${name}: ${names}`);
  for (const office of ['长老', '妖精', '众人', '师父']) assert.ok(!names.includes(office), office);
});

test('Japanese: a name that begins with a number is one, also behind a word of time', () => {
  const lines = Array.from({ length: 12 }, () => [
    'その時三四郎は笑った。三四郎は野々宮さんと歩いた。一人の男が来た。',
    '三四郎がお光さんの手紙を読む。お光さんは国にいる。お茶を飲む。お前は誰だ。',
  ]).flat();
  const names = mineNames(lines, 'ja').candidates.map(({ source }) => source);
  for (const name of ['三四郎', '野々宮', 'お光']) assert.ok(names.includes(name), `${name}: ${names}`);
  for (const other of ['時三四郎', '一人', 'お茶', 'お前']) assert.ok(!names.includes(other), other);
});

test('Japanese: a word of time before a name is no part of it, and women are named without an honorific', () => {
  const lines = Array.from({ length: 8 }, () => [
    'その時柳沢さんが来た。柳沢さんは帽子を脱いだ。翌日柳沢さんは来なかった。柳沢さんの様子が変だ。',
    '千枝子は笑った。すると千枝子が立った。あき子さんは千枝子と障子を開けた。あき子は茶菓子を食べた。東堂子も東堂も東堂と言った。東堂氏だ。',
    'いい子ちゃんだね、と母が言った。男の子さんですか。この子は調子がいい。',
    '前田次郎は黙った。前田次郎の手が動いた。',
  ]).flat();
  const names = mineNames(lines, 'ja').candidates.map(({ source }) => source);
  assert.deepEqual(names.toSorted(), ['あき子', '前田次郎', '千枝子', '東堂', '柳沢'].toSorted());
});

test('English: what has a typographic apostrophe is no name', () => {
  const lines = Array.from(
    { length: 10 },
    () => 'She said that I’ll go and I’m glad, and that I’ve seen Thornbury, if Thornbury comes.',
  );
  assert.deepEqual(
    mineNames(lines, 'en').candidates.map(({ source }) => source),
    ['Thornbury'],
  );
});
