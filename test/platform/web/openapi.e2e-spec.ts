import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Content,
  type JsonSchema,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  resolved,
} from '../../../src/platform/web/openapi/document.js';
import { HttpClient } from '../../support/http/http-client.js';
import { OpenApi, openApiAjv } from '../../support/http/open-api.js';
import { PROD } from '../../support/programs/prod.js';
import { startWholeService, type WholeService } from '../../support/programs/whole-service.js';
import '../../support/runner/matchers.js';

const PROD_BEHIND_PROXY = { ...PROD, PUBLIC_URL: 'https://login.example.com/auth' };

/** Starts the service for one function and stops it afterwards. */
async function withService<T>(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  ask: (client: HttpClient, service: WholeService) => Promise<T>,
): Promise<T> {
  const service = await startWholeService(args, variables);
  try {
    return await ask(new HttpClient(service.url), service);
  } finally {
    await service.stop();
  }
}

describe('the OpenAPI document', () => {
  let service: WholeService;
  let document: OpenApiDocument;
  let operations: ReturnType<typeof operationsOf>;

  beforeAll(async () => {
    service = await startWholeService();
    document = (await OpenApi.of(service.url)).document;
    operations = operationsOf(document);
  });

  afterAll(() => service.stop());

  it('describes exactly the registered routes', () => {
    const registered = service.routes
      .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
      // HEAD is GET without its body; management endpoints have a contract of their own.
      .filter((route) => !route.startsWith('HEAD ') && !/ \/actuator(?:\/|$)/.test(route));

    const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

    expect(described.toSorted()).toEqual([...new Set(registered)].toSorted());
    expect(described.length).toBeGreaterThan(30);
  });

  it('gives every operation a summary and one declared tag', () => {
    const chapters = document.tags.map(({ name }) => name);

    for (const { path, method, operation } of operations) {
      expect(operation.summary, path).toMatch(/^[A-Z].{8,}[^.]$/);
      expect(operation.summary, path).not.toContain(`${method.toUpperCase()} /`);
      expect(chapters, path).toEqual(expect.arrayContaining([...operation.tags]));
      expect(operation.tags, path).toHaveLength(1);
    }
  });

  it('describes the success response of every operation first', () => {
    for (const { path, method, operation } of operations) {
      const [status = '', response] = Object.entries(operation.responses)[0] ?? [];
      const content = Object.entries(response ? (resolved(document, response).content ?? {}) : {});

      expect(status, path).toMatch(/^(?:2\d\d|303)$/);
      expect(content.length > 0, `${method} ${path}`).toBe(!['202', '204', '303'].includes(status));
      for (const [type, { schema }] of content.filter(([name]) => name.endsWith('json'))) {
        expect(schema, `${path} ${type}`).toMatchObject({});
        expect(Object.keys(schema ?? {}), path).not.toEqual([]);
      }
    }
  });

  it('the OpenAPI document is valid against the official schema of OpenAPI 3.1', async () => {
    const { errors = [], valid } = await new Validator().validate(structuredClone({ ...document }));

    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  });

  it('the OpenAPI document has a title, a server URL, response descriptions and unique operation ids', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toEqual({
      title: expect.stringMatching(/./) as string,
      version: expect.stringMatching(/./) as string,
      description: expect.stringMatching(/./) as string,
    });
    expect(document.servers).toEqual([{ url: '/' }]);
    for (const path of Object.keys(document.paths))
      expect(path).toMatch(/^\/(?:[\w.-]+|\{\w+\})?(?:\/(?:[\w.-]+|\{\w+\}))*$/);
    for (const { path, operation } of operations) {
      for (const response of Object.values(operation.responses)) {
        expect(resolved(document, response).description, path).toMatch(/./);
      }
      for (const type of Object.keys(operation.requestBody?.content ?? {})) expect(type).toMatch(/^\w+\/[\w+.-]+$/);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('declares all parameters of a path once and as required', () => {
    for (const { path, operation } of operations) {
      const { parameters = [] } = operation;
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);

      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(
        inPath.every(({ required }) => required),
        path,
      ).toBe(true);
      expect(new Set(names).size, path).toBe(names.length);
    }
  });

  it('the OpenAPI document contains no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, target = '']) => target);
    const schemes = operations.flatMap(({ operation }) => operation.security.flatMap((one) => Object.keys(one)));

    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) expect(at(document, reference), reference).toBeTypeOf('object');
    expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining([...new Set(schemes)]));
  });

  it('all schemas compile in the strict mode of a JSON Schema 2020-12 validator', () => {
    const shared = Object.values(document.components.responses);
    const schemas = [
      ...operations.flatMap(({ operation }) => schemasOf(operation)),
      ...shared.flatMap(({ content = {} }) => schemasIn(content)),
    ];
    const ajv = openApiAjv();

    expect(schemas.length).toBeGreaterThan(60);
    for (const schema of schemas) {
      expect(() => ajv.compile({ ...schema, components: document.components }), JSON.stringify(schema)).not.toThrow();
    }
  });

  it('L1: the OpenAPI document contains no examples and no tokens', () => {
    const text = JSON.stringify(document);

    expect(text).not.toMatch(/"examples?":/);
    expect(text).not.toMatch(/eyJ[\w-]{8}/);
  });

  it('the OpenAPI document is identical for every request and sent with Cache-Control: no-store', async () => {
    const [first, second] = await Promise.all(
      ['/openapi.json', '/openapi.json'].map((path) => fetch(service.url + path)),
    );

    expect(first?.headers.get('cache-control')).toBe('no-store');
    expect(first?.headers.get('content-type')).toBe('application/json');
    expect(await first?.text()).toBe(await second?.text());
  });

  it.each(['/openapi.json', '/docs'])('%s supports HEAD like GET and rejects POST with 405', async (path) => {
    const client = new HttpClient(service.url);
    const [get, head] = [await client.get(path), await client.send('HEAD', path)];

    expect(head).toBeAnswered(200);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    const refused = await client.post(path);
    expect(refused).toBeRefused(405, 'METHOD_NOT_ALLOWED');
    expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('/docs rejects Accept: application/json with 406', async () => {
    const client = new HttpClient(service.url);

    const asJson = { headers: { accept: 'application/json' } };
    expect(await client.get('/openapi.json', asJson)).toBeAnswered(200);
    expect(await client.get('/docs', asJson)).toBeRefused(406, 'NOT_ACCEPTABLE');
  });
});

describe('app.openapi.enabled', () => {
  it.each([
    ['false', ['--app.openapi.enabled=false'], {}],
    ['unset with profile prod', [], PROD_BEHIND_PROXY],
  ])('app.openapi.enabled %s removes /openapi.json and /docs', async (_, args, variables) => {
    await withService(args, variables, async (client) => {
      for (const path of ['/openapi.json', '/docs']) {
        expect(await client.get(path)).toBeRefused(404, 'NOT_FOUND');
        expect(await client.post(path)).toBeRefused(404, 'NOT_FOUND');
      }
      expect(await client.get('/.well-known/jwks.json')).toBeAnswered(200);
    });
  });

  it('app.openapi.enabled=true serves the OpenAPI document in production with the public URL', async () => {
    await withService(['--app.openapi.enabled=true'], PROD_BEHIND_PROXY, async (client) => {
      expect((await client.get('/openapi.json')).body['servers']).toEqual([{ url: 'https://login.example.com/auth' }]);
      expect((await client.get('/docs')).text).toContain('BASE=https://login.example.com/auth<');
    });
  });
});

it('below a context path, the OpenAPI document states the path and /docs links to it', async () => {
  await withService(['--server.servlet.context-path=/auth'], {}, async (client, { url }) => {
    const answer = await client.get('/openapi.json');
    const page = await client.get('/docs');
    const [, link = ''] = /href="([^"#]+)"/.exec(page.text) ?? [];

    expect(answer.body['servers']).toEqual([{ url: '/auth' }]);
    expect(Object.keys(answer.body['paths'] as object)).toContain('/login');
    expect(new URL(link, `${url}/docs`).href).toBe(`${url}/openapi.json`);
    expect(page.text).toContain('BASE=http://localhost:8080/auth<');
  });
});

/** Every schema of an operation. */
function schemasOf({ parameters = [], requestBody, responses }: OperationObject): readonly JsonSchema[] {
  const answers = Object.values(responses).flatMap((one) => ('content' in one ? [one.content] : []));
  return [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody?.content, ...answers].flatMap((content) => schemasIn(content ?? {})),
  ];
}

function schemasIn(content: Content): readonly JsonSchema[] {
  return Object.values(content).flatMap(({ schema }) => (schema ? [schema] : []));
}

/** The target of a reference inside the document (RFC 6901). */
function at(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>> | undefined)?.[key], document);
}
