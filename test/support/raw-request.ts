import { connect } from 'node:net';

export interface RawAnswer {
  /** Undefined when the connection ended without an answer. */
  status: number | undefined;
  body: string;
  elapsedMs: number;
}

/**
 * Sends exactly these bytes over a socket and waits for one answer: like a broken or
 * hostile client, which no HTTP library allows. `thenClose` half-closes after the last byte; `pieces` are written one by one.
 */
export function rawRequest(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  options: { thenClose?: boolean; timeoutMs?: number; betweenMs?: number } = {},
): Promise<RawAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received.replace(/^HTTP\/1\.1 100[\s\S]*?\r\n\r\n/, ''))?.[1];
      const body = received.slice(received.lastIndexOf('\r\n\r\n') + 4);
      resolve({ status: status ? Number(status) : undefined, body, elapsedMs: performance.now() - startedAt });
    };
    const timer = setTimeout(finish, options.timeoutMs ?? 10_000);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
      const head = /\r\ncontent-length: (\d+)\r\n[\s\S]*?\r\n\r\n/i.exec(received);
      if (head && Buffer.byteLength(received.slice(head.index + head[0].length)) >= Number(head[1])) finish();
    });
    socket
      .on('error', () => {})
      .on('close', finish)
      .on('end', finish);
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        if (!socket.write(piece))
          await Promise.race(['drain', 'close'].map((name) => new Promise((done) => socket.once(name, done))));
        if (options.betweenMs !== undefined) await new Promise((done) => setTimeout(done, options.betweenMs));
      }
      if (options.thenClose) socket.end();
    })();
  });
}

/** A request line, headers and body as one piece of bytes. */
export function post(headers: Record<string, string | number>, body: string | Uint8Array): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\nHost: toledo\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}
