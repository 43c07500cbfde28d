/** Words that tell the pages before a novel from the novel: titles of such pages, and what stands in an imprint. */

const frontTitles = new RegExp(
  `^(?:${[
    // Contents.
    'contents|table of contents|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|indice|sumário|sommario|conteúdo',
    'содержание|оглавление|зміст|spis treści|obsah|tartalom|içindekiler|inhoud|mục lục|المحتويات|الفهرس|תוכן',
    '目录|目錄|目次|もくじ|차례|목차',
    // Imprint and title page.
    'copyright(?: page| notice)?|imprint|impressum|colophon|colofon|title page|titelseite|page de titre|portada|frontispiece|legal notice',
    'mentions légales|créditos|crédits|credits|colofón|выходные данные|版权|版权页|版權|版權頁|版权信息|奥付|판권',
    // What somebody else says before the novel begins.
    'dedication|widmung|dédicace|dedicatoria|dedicatória|dedica|посвящение|献词|獻詞|献辞|헌사',
    'foreword|preface|préface|prefacio|prefácio|prefazione|vorwort|предисловие|передмова|introduction|einleitung|introducción|introdução|introduzione|введение',
    'acknowledge?ments|danksagung|remerciements|agradecimientos|agradecimentos|ringraziamenti|благодарности',
    '前言|序言|自序|代序|序文|はじめに|まえがき|머리말|서문',
    "about the author|über den autor|à propos de l[’']auteur|sobre el autor|sobre o autor|об авторе|关于作者|作者简介|著者について|지은이 소개",
    "also by .*|other books by .*|praise for .*|(?:translator|author|editor|publisher)[’']s note|list of illustrations|cover",
  ].join('|')})$`,
  'iu',
);

const imprintMarks =
  /©|\(c\)\s*(?:1[89]|20)\d\d|\bcopyright\b|\bISBN\b|all rights reserved|alle rechte vorbehalten|tous droits réservés|(?:todos los|todos os) (?:derechos|direitos) reservados|tutti i diritti|все права защищены|版权所有|版權所有|著作権|무단 ?전재/iu;

export function isFrontMatterTitle(title: string): boolean {
  return frontTitles.test(title.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '').replace(/\s+/g, ' '));
}

export function hasImprintMark(text: string): boolean {
  return imprintMarks.test(text);
}
