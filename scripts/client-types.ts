/**
 * The SDK's wire types, written from the OpenAPI document so that the two cannot differ. Small enough to write ourselves: the
 * usual generators emit one type per path with everything inlined, which is hard to read in an editor.
 */
import { resolveReferences } from './resolve-references.ts';

interface Schema {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}
interface Content {
  content: Record<string, { schema: Schema }>;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The text of `client/src/wire-types.ts`. */
export function clientTypes(document: object): string {
  const openapi = resolveReferences(document);
  const operations = Object.values((openapi as OpenapiDocument).paths).flatMap((methods) => Object.values(methods));
  const operation = (id: string) => found(operations.find((candidate) => candidate.operationId === id));
  const answer = (id: string, status = '200') => member(bodyOf(operation(id).responses[status]), 'data');
  const task = answer('getTask');
  const form = bodyOf(operation('createTask').requestBody);
  const event = found(member(answer('listEvents'), 'events').items);
  const webhook = answer('getWebhook');
  const error = member(found((openapi as OpenapiDocument).components.schemas.ErrorResponse), 'error');

  const words: Record<string, Schema> = {
    Action: member(form, 'action'),
    TaskStatus: member(task, 'status'),
    TaskStage: member(task, 'stage'),
    FileId: member(found(member(task, 'download_files').items), 'file_id'),
    GlossaryStrategy: member(form, 'glossary_strategy'),
    ErrorCode: member(error, 'code'),
    EventType: member(event, 'type'),
    DeliveryStatus: member(found(member(answer('listDeliveries'), 'deliveries').items), 'status'),
  };
  const answers: Record<string, Schema> = {
    Term: found(member(task, 'terms').items),
    DownloadDescriptor: found(member(task, 'download_files').items),
    Coverage: member(task, 'coverage'),
    TaskWarning: found(member(task, 'warnings').items),
    TaskFault: member(task, 'error'),
    TokenEstimate: member(task, 'token_estimate'),
    SourceMetadata: member(task, 'metadata'),
    Task: task,
    TaskList: answer('listTasks'),
    DownloadResult: answer('getDownload'),
    UsageRecord: answer('getUsage'),
    LedgerLine: found(member(answer('listLedger'), 'lines').items),
    LedgerPage: answer('listLedger'),
    UsageDay: found(member(answer('listUsageDays'), 'days').items),
    UsageDays: answer('listUsageDays'),
    ApiKey: found(member(answer('listKeys'), 'keys').items),
    KeyList: answer('listKeys'),
    Language: found(member(answer('listLanguages'), 'languages').items),
    LanguageList: answer('listLanguages'),
    PublishedLimits: answer('getLimits'),
    Chapter: found(member(answer('listChapters'), 'chapters').items),
    ChapterList: answer('listChapters'),
    ChapterText: answer('getChapter'),
    ReaderLink: answer('createReaderLink', '201'),
    CorrectionResult: answer('correctTask'),
    Event: event,
    EventPage: answer('listEvents'),
    Webhook: webhook,
    WebhookWithSecret: answer('createWebhook', '201'),
    WebhookList: answer('listWebhooks'),
    WebhookTest: answer('testWebhook'),
    Delivery: found(member(answer('listDeliveries'), 'deliveries').items),
    DeliveryPage: answer('listDeliveries'),
    Redelivery: answer('redeliver'),
    Series: answer('createSeries', '201'),
    SeriesList: answer('listSeries'),
    SeriesTerm: found(member(answer('listSeriesTerms'), 'terms').items),
    SeriesTermPage: answer('listSeriesTerms'),
    TermsSet: answer('setSeriesTerms'),
    SeriesSheet: answer('getSeriesSheet'),
    CorrectionCounts: answer('correctSeries'),
    ParagraphHistory: answer('getParagraphHistory'),
    ErrorBody: error,
  };
  const questions: Record<string, Schema> = {
    ListTasksQuery: queryOf(operation('listTasks')),
    ListLedgerQuery: queryOf(operation('listLedger')),
    ListUsageDaysQuery: queryOf(operation('listUsageDays')),
    DownloadQuery: queryOf(operation('getDownload')),
    ListEventsQuery: queryOf(operation('listEvents')),
    ListDeliveriesQuery: queryOf(operation('listDeliveries')),
    NewWebhook: bodyOf(operation('createWebhook').requestBody),
    WebhookChange: bodyOf(operation('updateWebhook').requestBody),
    ListSeriesQuery: queryOf(operation('listSeries')),
    ListSeriesTermsQuery: queryOf(operation('listSeriesTerms')),
    NewSeries: bodyOf(operation('createSeries').requestBody),
    SeriesChange: bodyOf(operation('updateSeries').requestBody),
    TermsToSet: bodyOf(operation('setSeriesTerms').requestBody),
    Sheet: bodyOf(operation('setSeriesSheet').requestBody),
    Correction: found(bodyOf(operation('correctSeries').requestBody).items),
    /** As it travels in a form: everything is text. */
    TaskForm: form,
  };
  const writer = new TypeWriter(words, answers);
  return `${[
    '// Generated by `npm run generate` from openapi.json. Do not edit: a test proves it fresh.',
    '/** The known words, and whatever a later version of the service may add: never assume the list is complete. */\nexport type Open<Words extends string> = Words | (string & Record<never, never>);',
    ...Object.entries(words).map(([name, schema]) => `export type ${name} = ${literals(schema)};`),
    ...Object.entries(answers).map(([name, schema]) => writer.declaration(name, schema, 'answer')),
    ...Object.entries(questions).map(([name, schema]) => writer.declaration(name, schema, 'question')),
  ].join('\n\n')}\n`;
}

/** Answers may contain values and fields of a later version; requests may not. */
type Direction = 'answer' | 'question';

class TypeWriter {
  readonly #words: Map<string, string>;
  readonly #names: Map<string, string>;

  constructor(words: Record<string, Schema>, answers: Record<string, Schema>) {
    this.#words = new Map(Object.entries(words).map(([name, schema]) => [JSON.stringify(schema.enum), name]));
    this.#names = new Map(Object.entries(answers).map(([name, schema]) => [JSON.stringify(schema), name]));
  }

  declaration(name: string, schema: Schema, direction: Direction): string {
    return `${comment(schema, '')}export interface ${name} ${this.#object(schema, direction, '')}`;
  }

  #object(schema: Schema, direction: Direction, indent: string): string {
    const inner = `${indent}  `;
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const optional = schema.required?.includes(name) ? '' : '?';
      return `${comment(field, inner)}${inner}${name}${optional}: ${this.#type(field, direction, inner)};`;
    });
    if (schema.additionalProperties === true) fields.push(`${inner}[name: string]: unknown;`);
    return `{\n${fields.join('\n')}\n${indent}}`;
  }

  #type(schema: Schema, direction: Direction, indent: string): string {
    const named = this.#names.get(JSON.stringify(schema));
    if (named !== undefined) return named;
    if (schema.enum) {
      const words = this.#words.get(JSON.stringify(schema.enum)) ?? literals(schema);
      return direction === 'answer' && schema.enum.length > 1 ? `Open<${words}>` : words;
    }
    if (schema.anyOf) return schema.anyOf.map((choice) => this.#type(choice, direction, indent)).join(' | ');
    if (schema.items) return `${this.#type(schema.items, direction, indent)}[]`;
    if (typeof schema.additionalProperties === 'object')
      return `Record<string, ${this.#type(schema.additionalProperties, direction, indent)}>`;
    if (schema.properties) return this.#object(schema, direction, indent);
    if (schema.format === 'binary') return 'Blob';
    return { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[
      found(schema.type)
    ] as string;
  }
}

function comment({ description }: Schema, indent: string): string {
  return description ? `${indent}/** ${description} */\n` : '';
}

function literals(schema: Schema): string {
  return found(schema.enum)
    .map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
    .join(' | ');
}

function queryOf(operation: Operation): Schema {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, description ? { ...schema, description } : schema]),
    ),
    required: parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  };
}

function bodyOf(message: Content | undefined): Schema {
  return found(Object.values(found(message).content)[0]).schema;
}

function member(schema: Schema, name: string): Schema {
  return found(schema.properties?.[name]);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The OpenAPI document has no such part; adapt scripts/client-types.ts.');
  return value;
}
