/**
 * HTML by template functions. Whatever is put into a template is escaped unless it is HTML made here. The text of a book, a
 * file name or a header can never become markup because an escape was forgotten.
 */
import { escapeCharacters } from '../escape.ts';

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.map((part, i) => part + rendered(values[i])).join(''));
}

/** Markup that this program wrote itself, such as an icon. Never for anything that came from outside. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

export function join(parts: readonly HtmlValue[], separator = ''): Html {
  return new Html(parts.map(rendered).join(separator));
}

/** A code that may be broken after an underscore, and nowhere else. */
export function codeWord(code: string): Html {
  return join(code.split(/(?<=_)/), '<wbr>');
}

export function escapeHtml(text: string): string {
  return escapeCharacters(text, /[&<>"']/g);
}

function rendered(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escapeHtml(String(value));
}
