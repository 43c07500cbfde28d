import { createEngine } from '../../src/engines/create-engine.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';
import { startSimulatedLlm } from '../support/simulated-llm/server.ts';
import { describeEngine } from './conformance.ts';

describeEngine('sandbox', async () => ({
  engine: await createEngine({ kind: 'sandbox', name: 'sandbox' }),
  close: async () => {},
}));

for (const kind of ['openai-compatible', 'openai', 'anthropic', 'google'] as const) {
  for (const structuredOutput of ['schema', 'json', 'none'] as const) {
    describeEngine(`${kind} with ${structuredOutput} output`, async () => {
      const simulated = await startSimulatedLlm({ timeScale: 0.001 });
      const { engines } = parseEngines(
        JSON.stringify({
          engines: [
            {
              name: 'e',
              kind,
              base_url: simulated.url,
              model: 'any',
              api_key: 'k',
              structured_output: structuredOutput,
            },
          ],
        }),
      );
      const [config] = engines;
      if (config === undefined) throw new Error('no engine');
      return { engine: await createEngine(config), close: () => simulated.stop() };
    });
  }
}
