/** What a route of the same framework costs that only reads or writes one row. Started by `tasks.ts`, which is told the port. */
import fastify from 'fastify';
import pg from 'pg';

const [connectionString, accountId] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 10 });
await pool.query('create table bench_rows (id bigint generated always as identity primary key, note text not null)');
const server = fastify();
server.get('/select', async () => {
  const { rows } = await pool.query('select id, name, created_at from accounts where id = $1', [accountId]);
  return { success: true, data: rows[0] };
});
server.post('/insert', async () => {
  const { rows } = await pool.query('insert into bench_rows (note) values ($1) returning id', ['a task']);
  return { success: true, data: rows[0] };
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.((server.server.address() as { port: number }).port);
process.once('disconnect', () => process.exit());
