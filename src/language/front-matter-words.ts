/** Words that tell the pages before a novel from the novel: titles of such pages, and what stands in an imprint. */
import { linesIn } from './word-list.ts';

const frontTitles = new RegExp(`^(?:${linesIn(new URL('front-titles.txt', import.meta.url)).join('|')})$`, 'iu');

const imprintMarks =
  /©|\(c\)\s*(?:1[89]|20)\d\d|\bcopyright\b|\bISBN\b|all rights reserved|alle rechte vorbehalten|tous droits réservés|(?:todos los|todos os) (?:derechos|direitos) reservados|tutti i diritti|все права защищены|版权所有|版權所有|著作権|무단 ?전재/iu;

export function isFrontMatterTitle(title: string): boolean {
  return frontTitles.test(title.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '').replace(/\s+/g, ' '));
}

export function hasImprintMark(text: string): boolean {
  return imprintMarks.test(text);
}
