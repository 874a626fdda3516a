import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { paginationSchema } from '../schema.js';
import type { Api, RouteAccess } from './api.js';
import { describe as described } from './describe.js';
import { docsPage } from './docs-page.js';
import type { OperationObject } from './document.js';
import { ANONYMOUS } from './operation.js';
import type { Route } from './routes.js';

const API: Api = {
  title: 'Parcels <b>',
  description: 'Sends `parcels`.',
  securitySchemes: { key: { type: 'http', scheme: 'basic' }, jar: { type: 'apiKey', in: 'cookie', name: 'jar' } },
  requirements: ({ isPublic }) => ({
    security: isPublic ? [] : ['key'],
    errors: ['INVALID_TOKEN'],
    notes: ['Asks nicely.'],
  }),
};
const SETTING = { serverUrl: '/', dates: { schema: { type: 'string' }, text: 'texts' } } as const;

type More = Partial<Omit<Route, 'access'>> & { readonly access?: Partial<RouteAccess> };

function route(method: string, template: string, more: More = {}): Route {
  return {
    handler: 'ParcelsController#send',
    status: 200,
    mediaType: 'application/json',
    inputs: [],
    options: {},
    ...more,
    access: { method, template, isPublic: false, isSecondFactor: false, alsoHalfAuthenticated: false, ...more.access },
  };
}

function operationOf(of: Route): OperationObject {
  const [operations] = Object.values(described(API, [of], SETTING).paths);
  const [operation] = Object.values(operations ?? {});
  if (!operation) throw new Error('nothing is described');
  return operation;
}

describe('the OpenAPI operation of a route', () => {
  it('has security, errors and notes of the API', () => {
    const { security, description, responses } = operationOf(route('GET', '/parcels'));

    expect(security).toEqual([{ key: [] }]);
    expect(description).toBe('Asks nicely.');
    expect(Object.keys(responses)).toEqual(['200', '401', '503', 'default']);
  });

  it('a public route lists the security schemes that it checks itself', () => {
    const operation = { summary: 'Open', security: [ANONYMOUS, 'jar'] };

    expect(operationOf(route('GET', '/', { access: { isPublic: true }, operation })).security).toEqual([
      {},
      { jar: [] },
    ]);
    expect(operationOf(route('GET', '/', { access: { isPublic: true } })).security).toEqual([]);
  });

  it.each([
    ['GET', '/', 'getRoot'],
    ['DELETE', '/parcels/:id', 'deleteParcelsById'],
    ['GET', '/.well-known/keys.json', 'getWellKnownKeysJson'],
  ])('the operation for %s %s has the id %s', (method, template, id) => {
    expect(operationOf(route(method, template)).operationId).toBe(id);
  });

  it('lists path parameters with or without schema, and query parameters with their defaults', () => {
    const inputs: Route['inputs'] = [
      { from: 'path', name: 'id', schema: v.pipe(v.string(), v.maxLength(5)) },
      { from: 'query', schema: v.strictObject({ ...paginationSchema.entries, partial: v.optional(v.boolean()) }) },
    ];

    const { parameters } = operationOf(route('GET', '/depots/:depot/parcels/:id', { inputs }));

    expect(parameters).toEqual([
      { name: 'depot', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 5, pattern: '^[^\\u0000]*$' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Maximum number of items.',
        schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      },
      expect.objectContaining({ name: 'after', required: false }),
      { name: 'partial', in: 'query', required: false, schema: { type: 'boolean' } },
    ]);
  });

  it.each([
    ['JSON', {}, 'application/json'],
    ['a form', { takesForm: true }, 'application/x-www-form-urlencoded'],
    ['an upload', { takesUpload: true }, 'multipart/form-data'],
  ])('has a request body for %s with its media type', (_, options, type) => {
    const schema = v.strictObject({ weight: v.number() });

    const { requestBody, responses } = operationOf(
      route('POST', '/parcels', { options, inputs: [{ from: 'body', schema }] }),
    );

    expect(Object.keys(requestBody?.content ?? {})).toEqual([type]);
    expect(requestBody?.required).toBe(true);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '413', '415']));
  });

  it.each(['POST', 'DELETE'])(
    'the operation of %s without a request body lists the errors of a request body, too',
    (method) => {
      const { responses, requestBody } = operationOf(route(method, '/parcels'));

      expect(requestBody).toBeUndefined();
      expect(responses).toMatchObject({
        '400': { $ref: '#/components/responses/VALIDATION_FAILED' },
        '408': { $ref: '#/components/responses/LATE_BODY' },
        '413': { $ref: '#/components/responses/PAYLOAD_TOO_LARGE' },
        '415': { $ref: '#/components/responses/UNSUPPORTED_MEDIA_TYPE' },
      });
    },
  );

  it('refers to a response for a body that does not arrive in time', () => {
    const { responses } = described(API, [route('POST', '/parcels')], SETTING).components;

    expect(Object.keys(responses).toSorted()).toEqual([
      'INVALID_TOKEN',
      'LATE_BODY',
      'PAYLOAD_TOO_LARGE',
      'Problem',
      'UNAVAILABLE',
      'UNSUPPORTED_MEDIA_TYPE',
      'VALIDATION_FAILED',
    ]);
    expect(responses['LATE_BODY']).toMatchObject({
      description: '`VALIDATION_FAILED`: The body does not arrive in time.',
      content: { 'application/problem+json': { schema: { properties: { code: { enum: ['VALIDATION_FAILED'] } } } } },
    });
  });

  it('an upload has the stated schema of its body', () => {
    const body = v.strictObject({ file: v.pipe(v.string(), v.metadata({ contentMediaType: 'text/csv' })) });
    const upload = route('POST', '/parcels', { options: { takesUpload: true }, operation: { summary: 'Send', body } });

    expect(operationOf(upload).requestBody?.content['multipart/form-data']?.schema?.properties).toEqual({
      file: { type: 'string', contentMediaType: 'text/csv' },
    });
  });

  it('has no response content for status 204', () => {
    expect(operationOf(route('POST', '/parcels', { status: 204 })).responses['204']).not.toHaveProperty('content');
  });
});

describe('the documentation page', () => {
  it('H3: escapes all texts', () => {
    const operation = { summary: '<script>alert(1)</script>', description: 'a `b"<i>` & c' };
    const page = docsPage(described(API, [route('GET', '/', { operation, tag: { name: "<img src='x'>" } })], SETTING));

    expect(page).not.toMatch(/<script|<img|<i>|<b>/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('a <code>b&quot;&lt;i&gt;</code> &amp; c');
  });

  it.each([
    ['POST', '/parcels', {}, `curl -sS -X POST "$BASE/parcels" \\\n  -u "$CLIENT:$SECRET"`],
    ['GET', '/parcels/:id', {}, `curl -sS "$BASE/parcels/$ID" \\\n  -u "$CLIENT:$SECRET"`],
    ['GET', '/label.png', { mediaType: 'image/png' }, `curl -sS "$BASE/label.png" \\\n  -u "$CLIENT:$SECRET" \\\n  -O`],
  ])('shows a curl command for %s %s', (method, path, more, expected) => {
    const page = docsPage(described(API, [route(method, path, { tag: { name: 'All' }, ...more })], SETTING));

    const [, example = ''] = /<pre><code>([^<]*)<\/code>/.exec(page) ?? [];
    expect(example.replaceAll('&quot;', '"')).toBe(expected);
  });
});
