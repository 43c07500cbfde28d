/** Endpoints that misbehave in every way a connection allows; each counts its connections. */
import { fork } from 'node:child_process';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { after } from 'node:test';
import type { DeliveryFault } from '../../src/events/webhook.ts';

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
    // A socket that reads nothing does not notice that the other side has left.
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, counts };
}

export interface HostileEndpoint {
  name: string;
  url: string;
  /** What an attempt comes to; null when the endpoint accepts, in its way. */
  error: DeliveryFault | null;
  counts: RawServer['counts'] | undefined;
}

/** Every one of these holds a request until its deadline. */
export async function startHangingEndpoints(): Promise<HostileEndpoint[]> {
  const hanging = {
    hang: () => {},
    'drip of a head': (socket: Socket) => every(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ', 'y'),
    'one interim answer after another': (socket: Socket) => every(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    'half a status line': (socket: Socket) => socket.write('HTTP/1.1 2'),
  };
  const endpoints = await Promise.all(
    Object.entries(hanging).map(([name, act]) => endpoint(name, 'timeout', act, 'http')),
  );
  const unaccepted = {
    name: 'connections that nobody accepts',
    url: await startUnaccepting(),
    error: 'timeout' as const,
  };
  return [
    ...endpoints,
    await endpoint('a TLS handshake without an answer', 'timeout', () => {}, 'https'),
    { ...unaccepted, counts: undefined },
  ];
}

const flood = Buffer.alloc(64 * 1024, 'x');
const floodBytes = 10 * 1024 * 1024;

/** Every one of these is over sooner. */
export async function startFailingEndpoints(): Promise<HostileEndpoint[]> {
  const loop: { url?: string } = {};
  const kinds: [string, DeliveryFault | null, (socket: Socket) => void][] = [
    [
      '101 to a websocket',
      'status',
      (socket) => socket.write(`${switching}Connection: Upgrade\r\nUpgrade: ws\r\n\r\n`),
    ],
    ['101 to nothing', 'status', (socket) => socket.write(`${switching}\r\n`)],
    ['redirect to itself', 'redirect', (socket) => socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${loop.url}\r\n\r\n`)],
    ['close', 'connection', (socket) => socket.destroy()],
    ['reset', 'connection', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    [
      'a head of 1 MB',
      'malformed_answer',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1e6)}\r\n\r\n`),
    ],
    ['nonsense', 'malformed_answer', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    ['a body of 10 MB', null, pour],
    ['a body without an end', null, (socket) => every(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'y')],
    ['a body that never comes', null, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n')],
  ];
  const endpoints = await Promise.all(kinds.map(([name, error, act]) => endpoint(name, error, act, 'http')));
  loop.url = endpoints.find(({ name }) => name === 'redirect to itself')?.url ?? '';
  return endpoints;
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\n';
const dripMs = 200;

async function endpoint(
  name: string,
  error: DeliveryFault | null,
  act: (socket: Socket) => void,
  scheme: 'http' | 'https',
): Promise<HostileEndpoint> {
  const { port, counts } = await startRawServer(act);
  return { name, url: `${scheme}://127.0.0.1:${port}/`, error, counts };
}

function every(socket: Socket, first: string, next: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(next), dripMs);
  socket.on('close', () => clearInterval(timer));
}

function pour(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  let flooded = 0;
  const more = () => {
    while (flooded < floodBytes && !socket.destroyed) {
      flooded += flood.length;
      if (!socket.write(flood)) return void socket.once('drain', more);
    }
    socket.end();
  };
  more();
}

/** A process that listens and then stands still: the kernel completes few connections, and no more after them. */
async function startUnaccepting(): Promise<string> {
  const child = fork(new URL('unaccepting-server.ts', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  after(() => child.kill('SIGKILL'));
  return await new Promise((resolve) => child.once('message', (port) => resolve(`http://127.0.0.1:${port}/`)));
}
