/**
 * The simulated server as a separate process: `node test/support/simulated-llm/main.ts '{"capacity":32}'` prints one
 * line of JSON with its address. `POST /_sim/configure` changes it in mid-run, `GET /_sim/stats` counts, SIGTERM ends it.
 */
import { startSimulatedLlm } from './server.ts';

const simulated = await startSimulatedLlm(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify({ url: simulated.url, port: simulated.port })}\n`);
const stop = (): void => {
  simulated.stop().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
