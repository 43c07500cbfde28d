/** A TCP proxy that breaks connections on purpose: what happens between a partner and the service. */
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
  /** Where new connections lead; change it for a service that came back elsewhere. */
  targetPort: number;
  /** Connections that were opened so far. */
  opened: number;
  /** The next connections suffer these, one each; those already open are closed so that none is reused. */
  inflict(...faults: ConnectionFault[]): void;
  /** Resets every open connection. */
  resetAll(): void;
  /** Nobody listens any more: connections are refused by the system. */
  vanish(): Promise<void>;
  /** Listens again, on the same port. */
  appear(): Promise<void>;
  close(): Promise<void>;
}

export async function startChaosProxy(targetPort: number): Promise<ChaosProxy> {
  const faults: ConnectionFault[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    proxy.opened += 1;
    open.add(client);
    client.once('close', () => open.delete(client)).on('error', () => {});
    carry(client, proxy.targetPort, faults.shift() ?? {});
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const proxy: ChaosProxy = {
    rootUrl: `http://127.0.0.1:${port}`,
    targetPort,
    opened: 0,
    inflict(...next) {
      proxy.resetAll();
      faults.push(...next);
    },
    resetAll() {
      for (const socket of open) socket.resetAndDestroy();
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

function carry(client: Socket, targetPort: number, fault: ConnectionFault): void {
  if (fault.refuse) {
    client.resetAndDestroy();
    return;
  }
  const service = connect(targetPort, '127.0.0.1');
  client.once('close', () => service.destroy());
  service.once('close', () => client.end()).on('error', () => client.resetAndDestroy());
  let sent = 0;
  client.on('data', (chunk: Buffer) => {
    const allowed = (fault.cutUploadAfterBytes ?? Number.POSITIVE_INFINITY) - sent;
    sent += chunk.length;
    if (!service.write(chunk.subarray(0, Math.min(chunk.length, allowed)))) {
      client.pause();
      service.once('drain', () => client.resume());
    }
    if (chunk.length >= allowed) client.resetAndDestroy();
  });
  let received = 0;
  service.on('data', (chunk: Buffer) => {
    if (fault.loseAnswer) {
      client.resetAndDestroy();
      return;
    }
    const allowed = (fault.cutAnswerAfterBytes ?? Number.POSITIVE_INFINITY) - received;
    received += chunk.length;
    const deliver = () => {
      if (client.destroyed) return;
      // The reset waits for the bytes: it would overtake them otherwise.
      client.write(chunk.subarray(0, Math.min(chunk.length, allowed)), () => {
        if (chunk.length >= allowed) setTimeout(() => client.resetAndDestroy(), 20);
      });
    };
    if (fault.delayAnswerMs === undefined) deliver();
    else setTimeout(deliver, fault.delayAnswerMs);
  });
}
