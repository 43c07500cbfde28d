/** Books for proofs in languages that our samples are too short in: sentences written for these tests, in chapters of a seeded order. */
import { random } from '../translation/novel.ts';

const sentences: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Am Morgen lag der Nebel so dicht über dem Fluss, dass der Fährmann seine eigene Laterne nicht mehr sah.',
    'Sie legte den Brief auf den Tisch, strich ihn glatt und las ihn zum dritten Mal, ohne ein Wort zu sagen.',
    '„Kommst du heute Abend wieder?“, fragte der Junge, und niemand im Zimmer wusste eine Antwort darauf.',
    'Hinter der Mühle begann der Wald, und in dem Wald hatte seit dem Krieg niemand mehr Holz geschlagen.',
    'Der alte Lehrer zog die Uhr auf, die seit Ostern stand, und horchte, als erwarte er Besuch.',
    '„Haben Sie den Schlüssel gefunden?“, rief die Wirtin von der Treppe herab, und alle Köpfe drehten sich um.',
    'In der Küche roch es nach Äpfeln, nach kaltem Rauch und nach dem Regen, der durch das Dach kam.',
    'Er hatte zwanzig Jahre lang geschwiegen, und nun redete er, als müsse er alles an einem Abend nachholen.',
    'Am Bahnhof stand nur ein einziger Wagen, und auf dem Bock schlief ein Mann mit einem viel zu großen Hut.',
    'Das Kind zählte die Stufen bis zum Boden, verzählte sich, lachte und fing noch einmal von vorne an.',
  ],
  fr: [
    'Au matin, la brume couvrait si bien la rivière que le passeur ne voyait plus sa propre lanterne.',
    'Elle posa la lettre sur la table, la lissa de la main et la relut une troisième fois sans dire un mot.',
    '— Tu reviens ce soir ? demanda le garçon, et personne dans la pièce ne sut lui répondre.',
    'Derrière le moulin commençait la forêt, où nul n’avait plus coupé de bois depuis la guerre.',
    'Le vieux maître remonta la pendule arrêtée depuis Pâques et prêta l’oreille comme s’il attendait quelqu’un.',
    '— Avez-vous retrouvé la clef ? cria l’aubergiste du haut de l’escalier, et toutes les têtes se tournèrent.',
    'La cuisine sentait la pomme, la fumée froide et la pluie qui passait à travers le toit.',
    'Il s’était tu pendant vingt ans, et voilà qu’il parlait comme s’il fallait tout rattraper en un soir.',
    'Devant la gare attendait une seule voiture, et sur le siège dormait un homme au chapeau trop grand.',
    'L’enfant compta les marches jusqu’au grenier, se trompa, rit et recommença depuis le début.',
  ],
  zh: [
    '清晨的雾笼罩着整条河，摆渡的老人连自己手里的灯都看不见了，只好站在岸边等着。',
    '她把那封信放在桌上，用手轻轻抚平，又从头到尾读了第三遍，始终没有说一句话。',
    '“你今晚还回来吗？”那孩子小声问道，屋子里的人互相看了看，谁也不知道该怎么回答。',
    '磨坊后面就是树林，自从打仗那年以后，再也没有人敢进那片林子里去砍柴了。',
    '老先生给那座从春天就停了的钟上了发条，侧着耳朵听，好像在等什么人来敲门。',
    '“您找到钥匙了没有？”店主在楼梯上喊道，坐着喝茶的客人们全都转过头来看他。',
    '厨房里有苹果的香味，有冷了的烟火味，还有从屋顶漏下来的雨水的潮湿气味。',
    '他沉默了整整二十年，如今却说个不停，好像要在一个晚上把所有的话都补回来。',
    '车站门口只停着一辆马车，赶车的人戴着一顶太大的帽子，正靠在座位上打瞌睡。',
    '孩子一级一级地数着通往阁楼的台阶，数错了，自己笑起来，又从第一级重新数起。',
  ],
};

/** Markdown with a heading for every chapter; paragraphs differ, so that no two are one and the same to the memory. */
export function madeBook(language: string, characters: number, seed: number): string {
  const own = sentences[language] ?? [];
  const next = random(seed);
  const lines: string[] = [];
  let [length, chapter] = [0, 0];
  for (let paragraph = 0; length < characters; paragraph++) {
    if (paragraph % 60 === 0) lines.push(`# ${++chapter}`);
    const count = 1 + Math.floor(next() * 4);
    const drawn = Array.from({ length: count }, () => own[Math.floor(next() * own.length)]);
    const text = `${drawn.join(language === 'zh' ? '' : ' ')}`;
    lines.push(text);
    length += text.length;
  }
  return lines.join('\n\n');
}
