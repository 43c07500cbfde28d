/** A partner of the real service, reached through a proxy that can break the line. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Toledo, type ToledoOptions } from '../../client/src/index.ts';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

export interface Partner {
  app: TestApp;
  proxy: ChaosProxy;
  toledo: Toledo;
  key: string;
  folder: string;
  /** Another client with the same key. */
  client(options?: Partial<ToledoOptions>): Toledo;
}

export async function startPartner({ credits = 1_000_000, rateLimitPerMinute = 10_000 } = {}): Promise<Partner> {
  const app = await startTestApp();
  const { key } = await app.account({ credits, rateLimitPerMinute });
  const proxy = await startChaosProxy(Number(new URL(app.rootUrl).port));
  const folder = await mkdtemp(join(tmpdir(), 'toledo-partner-'));
  after(async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });
  const client = (options: Partial<ToledoOptions> = {}) =>
    new Toledo({ baseUrl: `${proxy.rootUrl}/api/v1`, apiKey: key, ...options });
  return { app, proxy, toledo: client(), key, folder, client };
}

const sentences = [
  'La barca cruzó el río antes del alba y nadie en la aldea la oyó pasar.',
  'Clara guardó la llave en el bolsillo del abrigo y apagó la lámpara.',
  '—No vuelvas sola —dijo Tomás—, que la niebla no conoce a nadie.',
  'El molino seguía girando aunque hacía años que no quedaba trigo.',
  'Desde la torre se veía el mar como una línea escrita con tiza.',
];

/** About `characters` characters of a story, in numbered chapters. */
export function story(characters: number): string {
  const lines: string[] = [];
  for (let length = 0, index = 0; length < characters; index += 1) {
    const line = index % 40 === 0 ? `Capítulo ${index / 40 + 1}` : (sentences[index % sentences.length] as string);
    lines.push(line, '');
    length += line.length + 2;
  }
  return lines.join('\n');
}
