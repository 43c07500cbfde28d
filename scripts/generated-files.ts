/** Everything that is generated and checked in: `npm run generate` writes it, a contract test proves it fresh. */
import { errorTable, reasonTable } from '../src/errors.ts';
import { openapiDocument } from '../src/http/openapi.ts';
import type { Server } from '../src/http/server.ts';
import type { Db } from '../src/platform/postgres.ts';
import { clientDeclarations } from './client-declarations.ts';
import { clientTypes } from './client-types.ts';
import { databaseTypes } from './database-types.ts';
import { dumpSchema } from './dump-schema.ts';

export async function generatedFiles(server: Server, db: Db): Promise<Record<string, string>> {
  const openapi = openapiDocument(server);
  const wireTypes = clientTypes(openapi);
  return {
    'openapi.json': `${JSON.stringify(openapi, null, 2)}\n`,
    'client/src/wire-types.ts': wireTypes,
    ...(await clientDeclarations(wireTypes)),
    'migrations/schema.sql': await dumpSchema(db),
    'src/platform/database-types.ts': await databaseTypes(db),
    'docs/api/errors.md': errorsPage(),
  };
}

function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, when }]) => `| ${status} | \`${code}\` | ${when} |`);
  const reasons = Object.entries(reasonTable)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, when]) => `| \`${word}\` | ${when} |`);
  return `# Errors

Every answer that is not a success has one shape, also for unknown addresses, malformed requests and faults of ours:

\`\`\`json
{"success": false, "data": {}, "error": {"code": "BAD_REQUEST", "message": "…", "details": {"field": "…", "reason": "…"}, "request_id": "req_…"}}
\`\`\`

Match on \`code\` and, where it is given, on \`details.reason\`; \`message\` is for people and may change. \`details.field\` names
the parameter at fault, \`details.allowed\` lists the accepted values where the set is closed. The request id is also in the
\`X-Request-Id\` header.

| Status | Code | When |
|---|---|---|
${rows.join('\n')}

Order of judgement: 404 and 405, then 401, 429, then 415, 413 and 400, then 409, then 402. 503 can come at any point, always
with \`Retry-After\`. Retry 429 and 503 after the seconds in \`Retry-After\`, and 500 with backoff; with the same
\`Idempotency-Key\` a retry never costs twice. Never retry 400, 401, 402 or \`IDEMPOTENCY_CONFLICT\` unchanged.

## Reasons

The words of \`details.reason\`. A word never changes its meaning; new ones may come.

| Reason | When |
|---|---|
${reasons.join('\n')}

This page is generated from the table that the service itself uses.
`;
}
