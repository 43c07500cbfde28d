/**
 * Validates answers against the OpenAPI document: the application must not send anything undocumented. That the document in the repository is
 * the one that the application serves is held by `generated-files.test.ts`.
 */
import { strict as assert } from 'node:assert';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import openapi from '../../openapi.json' with { type: 'json' };

interface OpenapiDocument {
  components: { schemas: Record<string, object> };
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >;
}

export class ContractCheck {
  readonly #document: OpenapiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #patterns: { pattern: RegExp; path: string }[];

  constructor(document: object) {
    this.#document = document as OpenapiDocument;
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#patterns = Object.keys(this.#document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  /** Asserts envelope, headers and, for a documented operation, the documented body of this status. */
  check(method: string, url: string, response: { status: number; headers: Headers; text: string }): void {
    const where = `${method} ${url} → ${response.status}`;
    assert.match(response.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/, `${where}: request id`);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', `${where}: nosniff`);
    assert.ok(!response.headers.has('server') && !response.headers.has('x-powered-by'), `${where}: no banner`);
    if (!response.headers.get('content-type')?.startsWith('application/json') || method === 'HEAD') return;
    assert.equal(response.headers.get('cache-control'), 'no-store', `${where}: no-store`);
    const path = this.#patterns.find(({ pattern }) => pattern.test(new URL(url).pathname))?.path;
    const operation = path === undefined ? undefined : this.#document.paths[path]?.[method.toLowerCase()];
    if (path === undefined || !operation) {
      this.#checkUndocumented(where, response);
      return;
    }
    const schema = operation.responses[response.status]?.content?.['application/json']?.schema;
    assert.ok(schema, `${where}: this status is not documented`);
    const validate = this.#compile(`${method} ${path} ${response.status}`, schema);
    assert.ok(
      validate(JSON.parse(response.text)),
      `${where}: ${this.#ajv.errorsText(validate.errors)}\n${response.text}`,
    );
  }

  #checkUndocumented(where: string, response: { status: number; text: string }): void {
    if (response.status < 400) return;
    const body = JSON.parse(response.text);
    assert.equal(body.success, false, where);
    assert.deepEqual(body.data, {}, where);
    assert.equal(typeof body.error.code, 'string', where);
    assert.match(body.error.request_id, /^req_/, where);
  }

  #compile(name: string, schema: object): ValidateFunction {
    const known = this.#compiled.get(name);
    if (known) return known;
    const validate = this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#compiled.set(name, validate);
    return validate;
  }
}

export const contract = new ContractCheck(openapi);
