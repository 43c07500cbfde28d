/** XML and HTML that is made to harm its reader is refused, or read, in at most four times the time of an ordinary novel, within 150 MiB and without harm. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from '../../src/documents/markup/xml.ts';
import { AppError } from '../../src/errors.ts';
import { hostileXml, utf8, xhtml } from '../documents/hostile-xml.ts';
import { assertInert, assertRefused } from '../documents/refusal.ts';

for (const { title, fileName, bytes, reason } of hostileXml) {
  if (reason !== undefined) test(`refused soon: ${title}`, () => assertRefused(bytes(), reason, fileName));
  else test(`read soon and without harm: ${title}`, () => assertInert(bytes(), fileName, /root:x:|root:0/));
}

test('2,000 mutated pages are parsed or refused, never more', () => {
  const page = xhtml('<p class="a">one <i>two</i> &amp; <![CDATA[three]]> <!-- four --></p>');
  for (let i = 0; i < 2000; i++) {
    const at = (i * 131) % page.length;
    const mutated = page.slice(0, at) + '<>&"\'/!-[]?=\u0000;x'[i % 15] + page.slice(at + (i % 3));
    try {
      parseXml(utf8(mutated), { htmlEntities: true });
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'BAD_REQUEST', String(error));
    }
  }
});
