import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManaged } from '../support/management/management.js';

interface Mapping {
  readonly handler: string;
  readonly predicate: string;
  readonly details: unknown;
}

describe('the mappings endpoint', () => {
  let service: ManagedService;
  beforeAll(async () => {
    service = await startManaged();
  });
  afterAll(async () => {
    await service.stop();
  });

  const servlets = async (): Promise<Readonly<Record<string, readonly Mapping[]>>> => {
    const { body } = await service.operator.get('/mappings');
    expect(body).toMatchObject({ contexts: { 'login-service': { mappings: { servletFilters: [], servlets: [] } } } });
    const { contexts } = body as {
      contexts: { 'login-service': { mappings: { dispatcherServlets: Record<string, Mapping[]> } } };
    };
    return contexts['login-service'].mappings.dispatcherServlets;
  };

  it('names the class and the method behind a controller route', async () => {
    const { main = [] } = await servlets();

    expect(main.find(({ predicate }) => predicate === '{POST [/login]}')).toEqual({
      handler: 'LoginController#login',
      predicate: '{POST [/login]}',
      details: {
        requestMappingConditions: {
          methods: ['POST'],
          patterns: ['/login'],
          consumes: [],
          produces: [],
          headers: [],
          params: [],
        },
      },
    });
  });

  it('M1: shows media types as objects with mediaType, which consoles read', async () => {
    const { main = [] } = await servlets();
    const conditions = (predicate: string): unknown => main.find((each) => each.predicate === predicate)?.details;

    expect(conditions('{POST [/token/introspect], consumes [application/x-www-form-urlencoded]}')).toMatchObject({
      requestMappingConditions: {
        consumes: [{ mediaType: 'application/x-www-form-urlencoded', negated: false }],
        produces: [],
      },
    });
  });

  it('lists every route of the OpenAPI document', async () => {
    const described: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
    const { paths } = described as { paths: Record<string, Record<string, unknown>> };
    const { main = [] } = await servlets();

    const predicates = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `{${method.toUpperCase()} [${path}]`),
    );
    expect(main.map(({ predicate }) => predicate.replace(/\].*$/, ']'))).toEqual(expect.arrayContaining(predicates));
  });

  it('lists management routes separately', async () => {
    const { management = [] } = await servlets();

    expect(management.map(({ predicate }) => predicate)).toEqual(
      expect.arrayContaining(['{GET [/actuator/mappings]}', '{GET [/actuator/health/{*path}]}']),
    );
  });
});
