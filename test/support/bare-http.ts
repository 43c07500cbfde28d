/** Requests that no HTTP library would send, over bare sockets. */
import { strict as assert } from 'node:assert';
import { connect } from 'node:net';

export const request = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;

/** Sends raw bytes and returns everything that comes back until the server closes or is silent for a while. */
export function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(1_000, done);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('close', done);
    socket.on('error', done);
    socket.write(bytes);
    if (!bytes.includes('\r\n\r\n')) socket.end();
  });
}

/** Checks what holds for every answer; undefined when there was none. */
export function assertEnvelope(received: string, sent: string): number | undefined {
  const answer = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  if (answer === '') return undefined;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  const [head, rest] = [answer.slice(0, answer.indexOf('\r\n\r\n')), answer.slice(answer.indexOf('\r\n\r\n') + 4)];
  assert.ok(status < 500, `${status} for ${sent}`);
  assert.match(head, /x-request-id: req_/i, sent);
  assert.match(head, /x-content-type-options: nosniff/i, sent);
  assert.match(head, /cache-control: no-store/i, sent);
  assert.doesNotMatch(head, /\r\n(?:server|x-powered-by):/i, sent);
  assert.doesNotMatch(answer, /\n\s+at |node:internal|\.ts:\d/, sent);
  if (status >= 400 && !sent.startsWith('HEAD')) {
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const parsed = JSON.parse(length === undefined ? rest : rest.slice(0, Number(length)));
    assert.equal(parsed.success, false, sent);
    assert.equal(typeof parsed.error.code, 'string', sent);
  }
  return status;
}

/** Sends the start of a request and then single bytes; resolves with the time until the server closed the connection. */
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
