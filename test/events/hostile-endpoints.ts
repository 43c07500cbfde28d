/** Endpoints that misbehave in every way a connection allows; each counts its connections. */
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { after } from 'node:test';

/** One connection may be seen to end only after the next one has begun. */
const settledMs = 100;

export interface RawServer {
  port: number;
  counts: { connections: number; open: number; mostOpen: number };
}

/** A server that does what it likes with a connection. Closed by itself when the test file ends. */
export async function startRawServer(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const counts = { connections: 0, open: 0, mostOpen: 0 };
  const server = createServer((socket) => {
    counts.connections += 1;
    counts.open += 1;
    sockets.add(socket);
    setTimeout(() => {
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    }, settledMs).unref();
    socket.on('error', () => {});
    socket.on('close', () => {
      counts.open -= 1;
      sockets.delete(socket);
    });
    onConnection(socket);
    // Whoever reads nothing does not notice that the other side has left.
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, counts };
}

const flood = Buffer.alloc(64 * 1024, 'x');
const floodBytes = 10 * 1024 * 1024;

/** @param redirectTo where the one that redirects sends us */
export async function startHostileEndpoints(redirectTo: string) {
  return {
    hang: await startRawServer(() => {}),
    drip: await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const timer = setInterval(() => socket.write('y'), 200);
      socket.on('close', () => clearInterval(timer));
    }),
    redirect: await startRawServer((socket) => socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${redirectTo}\r\n\r\n`)),
    close: await startRawServer((socket) => socket.destroy()),
    flood: await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      let flooded = 0;
      const pour = () => {
        while (flooded < floodBytes && !socket.destroyed) {
          flooded += flood.length;
          if (!socket.write(flood)) return void socket.once('drain', pour);
        }
        socket.end();
      };
      pour();
    }),
    headers: await startRawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1_000_000)}\r\n\r\n`)),
    nonsense: await startRawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')),
  };
}
