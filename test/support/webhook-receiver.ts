/** A partner's endpoint for tests: records requests and answers as configured. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { eventually } from './workers.ts';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  event: any;
  atMs: number;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Requests that were never answered by us are under way too. */
  mostAtOnce: number;
  /** Instead of 204 at once. */
  answer: (response: ServerResponse, request: ReceivedWebhook) => void;
  /** The requests that came, when there are so many. */
  until(count: number): Promise<ReceivedWebhook[]>;
}

/** Settings under which a test application may send to this machine. */
export const localWebhooks = { TOLEDO_WEBHOOK_ALLOW: '127.0.0.1', TOLEDO_WEBHOOK_ALLOW_HTTP: 'true' };

/** Closed by itself when the test file ends. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  let atOnce = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    atOnce += 1;
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, atOnce);
    request.socket.once('close', () => {
      atOnce -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received = { headers: request.headers, body, event: JSON.parse(body), atMs: performance.now() };
      receiver.received.push(received);
      receiver.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    mostAtOnce: 0,
    answer: (response) => void response.writeHead(204).end(),
    async until(count) {
      await eventually(async () => receiver.received.length >= count, `${count} webhooks`);
      return receiver.received;
    },
  };
  return receiver;
}
