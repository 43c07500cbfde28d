/** Uploads that want too much of the service: too many parts, too large ones, too slow ones, and ones that break off. */
import { strict as assert } from 'node:assert';
import { connect, type Socket } from 'node:net';

export interface AbuseAnswer {
  status: number | undefined;
  /** Handed over to the system before the answer came: what the server read, and what lay in buffers between. */
  sentBytes: number;
  /** From the moment the limit was passed to the answer. */
  answeredMs: number;
  reason: string | undefined;
}

const boundary = 'toledo-abuse';
export const part = (name: string, fileName?: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName ? `; filename="${fileName}"` : ''}\r\n\r\n`;
export const end = `\r\n--${boundary}--\r\n`;

/** Without a length the body comes in chunks, and only counting tells how large it is. */
export function head(key: string, lengthBytes?: number): string {
  const lines = [
    'POST /api/v1/tasks HTTP/1.1',
    'Host: toledo',
    `Authorization: Bearer ${key}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    lengthBytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${lengthBytes}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends as fast as the server takes it, until it answers or the body ends. `limitAt`: the byte from which it is too much. */
export function abuse(
  port: number,
  key: string,
  chunks: Iterable<string | Buffer>,
  limitAt: number,
): Promise<AbuseAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setMaxListeners(0);
    let [received, passedAt] = ['', 0];
    const done = () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];
      const sentBytes = socket.bytesWritten - socket.writableLength;
      socket.destroy();
      resolve({
        status: status ? Number(status) : undefined,
        sentBytes,
        answeredMs: Math.round(performance.now() - (passedAt || performance.now())),
        reason: /"(?:reason|code)":"(\w+)"/.exec(received.slice(received.indexOf('\r\n\r\n')))?.[1],
      });
    };
    const timer = setTimeout(done, 30_000);
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (received.includes('\r\n\r\n') && received.trimEnd().endsWith('}')) done();
    });
    socket.on('error', () => {}).on('close', done);
    void (async () => {
      socket.write(head(key));
      for (const chunk of chunks) {
        if (socket.destroyed) return;
        if (chunk.length === 0) continue;
        socket.write(`${Buffer.byteLength(chunk).toString(16)}\r\n`);
        socket.write(chunk);
        if (!socket.write('\r\n')) await Promise.race([event(socket, 'drain'), event(socket, 'close')]);
        if (passedAt === 0 && socket.bytesWritten >= limitAt) passedAt = performance.now();
      }
    })();
  });
}

/** Sends some of a form and then a byte now and then; resolves with the time until the server closed the connection. */
export function crawl(port: number, bytes: string, everyMs: number, limitMs: number): Promise<number> {
  return new Promise((resolve) => {
    const started = performance.now();
    const socket = connect(port, '127.0.0.1');
    const timer = setInterval(() => socket.write('x'), everyMs);
    const done = () => {
      clearInterval(timer);
      clearTimeout(tooLong);
      socket.destroy();
      resolve(Math.round(performance.now() - started));
    };
    const tooLong = setTimeout(done, limitMs);
    socket
      .on('error', () => {})
      .on('close', done)
      .resume();
    socket.write(bytes);
  });
}

function event(socket: Socket, name: string): Promise<void> {
  return new Promise((resolve) => socket.once(name, () => resolve()));
}

export function assertRefused(answer: AbuseAnswer, what: string): void {
  assert.ok(answer.status === 400 || answer.status === 413, `${what}: ${JSON.stringify(answer)}`);
}
