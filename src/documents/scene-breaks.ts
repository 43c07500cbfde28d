/** Scene breaks: nothing but ornaments. Dots, quotes and question marks alone are speech ("……") and are translated. */
export function isSeparatorLine(line: string): boolean {
  return separator.test(line);
}

const separator =
  /^[\s\u3000*＊※✽✻✱❖◇◆□■○●◎△▲▽▼☆★♦♢♠♣♥♡・•·~〜～=＝\-–—―─━_＿#＃+＋|｜/／\\^§⁂❦❧✦✧†‡×]+$|^(?:[xXoO]\s+){2,}[xXoO]$/u;
