/** A name server for tests, over UDP: answers questions for A and AAAA records with what it is told, which may change. */
import { createSocket } from 'node:dgram';
import { isIPv4, isIPv6 } from 'node:net';
import { after } from 'node:test';
import { hostResolver, type ResolveHost } from '../../src/events/webhook-target.ts';

export interface NameServer {
  /** Asked once per question; the answers of one host. */
  answer: (host: string) => string[];
  asked: string[];
  /** For settings that name it. */
  address: string;
  /** Looks up through this server only. */
  resolve: ResolveHost;
}

const types = { a: 1, aaaa: 28 };

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = question.readUInt16BE(at + 1);
    const host = labels.join('.').toLowerCase();
    if (type === types.a) server.asked.push(host);
    const wanted = server.answer(host).filter(type === types.a ? isIPv4 : type === types.aaaa ? isIPv6 : () => false);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(wanted.length > 0 ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(wanted.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = wanted.map((address) => {
      const data = type === types.a ? Buffer.from(address.split('.').map(Number)) : sixteenBytes(address);
      // A pointer to the question's name; no time to live.
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([record, data]);
    });
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  after(() => socket.close());
  const address = `127.0.0.1:${socket.address().port}`;
  const server: NameServer = { answer: () => [], asked: [], address, resolve: hostResolver([address]) };
  return server;
}

function sixteenBytes(address: string): Buffer {
  // The form with hexadecimal groups only, of which a run of zeros may be left out.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const all = [...groups(head), ...zeros, ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
