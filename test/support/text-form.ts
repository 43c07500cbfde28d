/** The fields of a create call as a body: JSON, or a form where the text is too long for JSON. */
export interface SentBody {
  type: string;
  body: string;
}

const maxJsonBytes = 2 * 1024 * 1024;
const boundary = '----toledo-text-7d1f0a93c2';

export function bodyOf(fields: Readonly<Record<string, unknown>>): SentBody {
  const json = JSON.stringify(fields);
  return Buffer.byteLength(json) <= maxJsonBytes ? { type: 'application/json', body: json } : formOf(fields);
}

/** Written by hand: `FormData` rewrites the line ends of a text. */
export function formOf(fields: Readonly<Record<string, unknown>>): SentBody {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    });
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` };
}
