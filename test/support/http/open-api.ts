import { type AnySchemaObject, Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema, OpenApiDocument, OperationObject } from '../../../src/platform/web/openapi/document.js';
import { operationsOf, resolved } from '../../../src/platform/web/openapi/document.js';
import { type Answer, HttpClient, type RequestOptions } from './http-client.js';

/** Responses that every route may return and none describes: unsupported methods and Accept headers. */
const EVERYWHERE = new Set([405, 406]);
/** Every page with a form sets or removes the cookie that carries an error of the form (docs/reference/pages.md). */
const FORM_ANSWER = 'form_answer';
const SEE_OTHER = 303;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const LONGEST_SHOWN = 1000;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Checks requests and responses against the OpenAPI description of the service. */
export class OpenApi {
  /** `METHOD path` of every operation with a successful response, and of those with an error response. */
  readonly answered = new Set<string>();
  readonly refused = new Set<string>();
  private readonly ajv = openApiAjv();
  private readonly validators = new WeakMap<JsonSchema, ValidateFunction>();
  private readonly closed: OpenApiDocument;

  constructor(readonly document: OpenApiDocument) {
    this.closed = closed(document);
  }

  /** Reads the description from a running service. */
  static async of(baseUrl: string): Promise<OpenApi> {
    const answer = await new HttpClient(baseUrl).get('/openapi.json');
    if (answer.status !== 200) throw new Error(`${answer.request} → ${answer.status} ${answer.text}`);
    return new OpenApi(JSON.parse(answer.text) as OpenApiDocument);
  }

  /** `METHOD path` of all operations. */
  get operations(): readonly string[] {
    return operationsOf(this.document).map(({ method, path }) => keyOf(method, path));
  }

  /** The operation of a request, if there is one. */
  find(method: string, target: string): { readonly key: string; readonly operation: OperationObject } | undefined {
    const segments = target.replace(/\?.*$/s, '').split('/');
    const found = operationsOf(this.closed).find(
      (known) => known.method === method.toLowerCase() && matches(known.path.split('/'), segments),
    );
    return found && { key: keyOf(method, found.path), operation: found.operation };
  }

  /** Differences of a request and its response from the description. */
  flawsOf(method: string, target: string, options: RequestOptions, answer: Answer): readonly string[] {
    const found = this.find(method, target);
    if (!found) return answer.status < 400 ? ['no operation is described'] : this.problemFlaws(answer);
    const { key, operation } = found;
    const isGood = answer.status < 400;
    (isGood ? this.answered : this.refused).add(key);
    return [...(isGood ? this.requestFlaws(operation, target, options) : []), ...this.answerFlaws(operation, answer)];
  }

  /** True if the described operation accepts a JSON body. */
  takes(operation: OperationObject, body: unknown): boolean {
    const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
    return schema !== undefined && this.schemaFlaws(schema, body).length === 0;
  }

  private requestFlaws(operation: OperationObject, target: string, options: RequestOptions): readonly string[] {
    const query = new URL(target, 'http://localhost').searchParams;
    return [
      ...[...query].flatMap(([name, value]) => this.queryFlaws(operation, name, value)),
      ...this.bodyFlaws(operation, options),
    ];
  }

  private queryFlaws({ parameters = [] }: OperationObject, name: string, value: string): readonly string[] {
    const known = parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
    if (!known) return [`the query ${name} is not described`];
    return this.schemaFlaws(known.schema, known.schema.type === 'integer' ? Number(value) : value);
  }

  private bodyFlaws({ requestBody }: OperationObject, { raw, form, json, headers }: RequestOptions): readonly string[] {
    const body = form ?? json;
    if (raw === undefined && !requestBody) return Object.keys(body ?? {}).length > 0 ? ['a body is not described'] : [];
    const type = form ? FORM_TYPE : raw === undefined ? JSON_TYPE : (headers?.['content-type'] ?? '');
    const schema = requestBody?.content[type.replace(/\s*;.*$/s, '')]?.schema;
    if (!schema) return [`no body of ${type} is described`];
    return raw === undefined ? this.schemaFlaws(schema, body ?? {}) : [];
  }

  private answerFlaws({ responses }: OperationObject, answer: Answer): readonly string[] {
    const described = responses[answer.status];
    if (!described) {
      return EVERYWHERE.has(answer.status) ? this.problemFlaws(answer) : [`status ${answer.status} is not described`];
    }
    const { content = {}, headers = {} } = resolved(this.closed, described);
    const missing = Object.keys(headers).filter((name) => isAlwaysThere(name) && !answer.headers.has(name));
    const cookies = headers['Set-Cookie'];
    const told = cookies && 'description' in cookies ? cookies.description : '';
    const isPage = Object.hasOwn(content, 'text/html') || answer.status === SEE_OTHER;
    const isKnown = (name: string): boolean => told.includes(`\`${name}\``) || (isPage && name === FORM_ANSWER);
    const set = answer.cookies.map(({ name }) => name).filter((name) => !isKnown(name));
    return [
      ...missing.map((name) => `${name} is missing`),
      ...set.map((name) => `the cookie ${name} is not described`),
      ...this.contentFlaws(content, answer),
    ];
  }

  private contentFlaws(
    content: NonNullable<ReturnType<typeof resolved>['content']>,
    answer: Answer,
  ): readonly string[] {
    const type = answer.headers.get('content-type')?.replace(/\s*;.*$/s, '');
    if (type === undefined) return Object.keys(content).length === 0 && answer.text === '' ? [] : ['there is no body'];
    const described = content[type];
    if (!described) return [`${type} is not described`];
    if (described.schema === undefined || !type.endsWith('json')) return [];
    return this.schemaFlaws(described.schema, JSON.parse(answer.text));
  }

  private problemFlaws(answer: Answer): readonly string[] {
    const { Problem: problem = {} } = this.closed.components.schemas;
    return this.schemaFlaws(problem, JSON.parse(answer.text));
  }

  private schemaFlaws(schema: JsonSchema, value: unknown): readonly string[] {
    const known = this.validators.get(schema);
    const validate = known ?? this.ajv.compile({ ...schema, components: this.closed.components } as AnySchemaObject);
    this.validators.set(schema, validate);
    return validate(value) ? [] : [this.ajv.errorsText(validate.errors, { dataVar: 'body' })];
  }
}

/** A client that throws for every response that differs from the description. */
export class DescribedClient extends HttpClient {
  constructor(
    baseUrl: string,
    private readonly openApi: OpenApi,
  ) {
    super(baseUrl);
  }

  override async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const answer = await super.send(method, path, options);
    const flaws = this.openApi.flawsOf(method, path, options, answer);
    if (flaws.length === 0) return answer;
    throw new Error(
      `${answer.request} → ${answer.status} ${answer.text.slice(0, LONGEST_SHOWN)}\nis not as described: ${flaws.join('; ')}`,
    );
  }
}

/** Validates JSON Schema with the subset of OpenAPI 3.1 that the description uses. */
export function openApiAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    formats: { 'date-time': RFC_3339, uri: (text) => URL.canParse(text) },
  });
  // The target of references.
  return ajv.addVocabulary(['components']);
}

function keyOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  );
}

/** Headers that only some error responses of a status have. */
function isAlwaysThere(name: string): boolean {
  return name !== 'Set-Cookie' && name !== 'WWW-Authenticate';
}

/** The same description without additional members of objects, which clients must tolerate. */
function closed<T>(node: T): T {
  if (Array.isArray(node)) return node.map(closed) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed<unknown>(value)]));
  const isObject = 'properties' in node && !('additionalProperties' in node) && !('$ref' in node);
  return { ...copy, ...(isObject && { unevaluatedProperties: false }) } as T;
}
