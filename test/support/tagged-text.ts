import fc from 'fast-check';

/** Nested and empty tags around text with everything that XML escapes. */
export const taggedText = fc.letrec<{ text: string; node: string }>((tie) => ({
  text: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((text) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f<>\d]/g, '&') || 'x'),
  node: fc.oneof(
    { depthSize: 'small' },
    tie('text'),
    fc.tuple(fc.nat(99), tie('node')).map(([n, inner]) => `<${n}>${inner}</${n}>`),
    fc.nat(99).map((n) => `<${n}/>`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
  ),
})).node;
