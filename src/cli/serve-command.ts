import { command, option, UsageError } from './command.ts';

export const serveCommand = command('serve', {
  options: { role: option('ROLE', 'api or worker: only one of the two processes') },
  summary: 'Run the service: API and worker.',
  examples: ['serve', 'serve --role worker'],
  async run({ options: { role = 'all' } }) {
    if (role !== 'all' && role !== 'api' && role !== 'worker')
      throw new UsageError(`--role is "api", "worker" or "all", not "${role}".`);
    // Loaded only now: the whole service takes a second of CPU to load, which no other command should pay.
    if (role === 'all') await (await import('./supervise.ts')).supervise();
    else await (await import('./serve.ts')).serve(role);
  },
});
