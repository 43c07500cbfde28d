/** A TCP proxy that breaks connections on purpose: between a partner and the service, or the service and its database. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What happens to one connection. Bytes are counted from its beginning. */
export interface ConnectionFault {
  /** Reset at once, before a byte is read. */
  refuse?: boolean;
  /** Reset when the client has sent this much. */
  cutUploadAfterBytes?: number;
  /** Reset when the service has sent this much; what comes before is delivered. */
  cutAnswerAfterBytes?: number;
  /** The service gets everything, the client no answer. */
  loseAnswer?: boolean;
  /** Every byte of the answer waits this long. */
  delayAnswerMs?: number;
}

export interface ChaosProxy {
  rootUrl: string;
  port: number;
  /** Target of new connections: a port, or the path of a socket. Change it when the service moved. */
  target: number | string;
  /** Connections that were opened so far. */
  opened: number;
  /** Connections that are open now. */
  readonly lines: readonly OpenLine[];
  /** Faults for the next connections, one each; open connections are closed so that none is reused. */
  inflict(...faults: ConnectionFault[]): void;
  /** Resets every open connection. */
  resetAll(): void;
  /** Stops listening: the system refuses connections. */
  vanish(): Promise<void>;
  /** Listens again, on the same port. */
  appear(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenLine {
  reset(): void;
  /** Half-open: nothing passes any more, and neither side notices. */
  freeze(): void;
  /** Delays the next answer by this much. */
  delay(delayMs: number): void;
}

class Line implements OpenLine {
  readonly client: Socket;
  frozen = false;
  delayAnswerMs: number;

  constructor(client: Socket, delayAnswerMs: number) {
    this.client = client;
    this.delayAnswerMs = delayAnswerMs;
  }
  reset(): void {
    this.client.resetAndDestroy();
  }
  freeze(): void {
    this.frozen = true;
  }
  delay(delayMs: number): void {
    this.delayAnswerMs = delayMs;
  }
}

export async function startChaosProxy(target: number | string): Promise<ChaosProxy> {
  const faults: ConnectionFault[] = [];
  const open = new Set<Line>();
  const server = createServer((client) => {
    proxy.opened += 1;
    const fault = faults.shift() ?? {};
    const line = new Line(client, fault.delayAnswerMs ?? 0);
    open.add(line);
    client.once('close', () => open.delete(line)).on('error', () => {});
    carry(line, proxy.target, fault);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const proxy: ChaosProxy = {
    rootUrl: `http://127.0.0.1:${port}`,
    port,
    target,
    opened: 0,
    get lines() {
      return [...open];
    },
    inflict(...next) {
      proxy.resetAll();
      faults.push(...next);
    },
    resetAll() {
      for (const line of open) line.reset();
    },
    async vanish() {
      const closed = once(server, 'close');
      server.close();
      proxy.resetAll();
      await closed;
    },
    async appear() {
      await listen(port);
    },
    async close() {
      if (server.listening) await proxy.vanish();
    },
  };
  return proxy;
}

function carry(line: Line, target: number | string, fault: ConnectionFault): void {
  const { client } = line;
  if (fault.refuse) {
    client.resetAndDestroy();
    return;
  }
  const service = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1');
  client.once('close', () => service.destroy());
  service.once('close', () => client.end()).on('error', () => client.resetAndDestroy());
  let sent = 0;
  client.on('data', (chunk: Buffer) => {
    if (line.frozen) return;
    const allowed = (fault.cutUploadAfterBytes ?? Number.POSITIVE_INFINITY) - sent;
    sent += chunk.length;
    if (!service.write(chunk.subarray(0, Math.min(chunk.length, allowed)))) {
      client.pause();
      service.once('drain', () => client.resume());
    }
    if (chunk.length >= allowed) client.resetAndDestroy();
  });
  let received = 0;
  /** Bytes never overtake each other, whatever the delays. */
  let free = 0;
  service.on('data', (chunk: Buffer) => {
    if (line.frozen) return;
    if (fault.loseAnswer) {
      client.resetAndDestroy();
      return;
    }
    const allowed = (fault.cutAnswerAfterBytes ?? Number.POSITIVE_INFINITY) - received;
    received += chunk.length;
    const deliver = () => {
      if (client.destroyed || line.frozen) return;
      // The reset waits for the bytes; otherwise it would overtake them.
      client.write(chunk.subarray(0, Math.min(chunk.length, allowed)), () => {
        if (chunk.length >= allowed) setTimeout(() => client.resetAndDestroy(), 20);
      });
    };
    const now = performance.now();
    free = Math.max(free, now + line.delayAnswerMs);
    line.delayAnswerMs = fault.delayAnswerMs ?? 0;
    if (free <= now) deliver();
    else setTimeout(deliver, free - now);
  });
}
