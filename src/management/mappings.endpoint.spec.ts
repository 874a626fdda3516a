import { describe, expect, it } from 'vitest';
import type { Route } from '../platform/web/openapi/routes.js';
import { controllerMapping, managementMappings } from './mappings.endpoint.js';

function route(method: string, template: string, more: Partial<Route> = {}): Route {
  const access = { method, template, isPublic: false, isSecondFactor: false, alsoHalfAuthenticated: false };
  return { handler: 'C#m', access, status: 200, mediaType: 'application/json', inputs: [], options: {}, ...more };
}

describe('the mapping of a controller route', () => {
  it('has only method and path as conditions if it consumes and produces JSON', () => {
    const handler = 'LoginController#login';

    expect(controllerMapping(route('POST', '/login', { handler }))).toEqual({
      handler,
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

  it.each([
    [route('DELETE', '/sessions/:id'), '{DELETE [/sessions/{id}]}'],
    [route('GET', '/', { mediaType: 'text/html' }), '{GET [/], produces [text/html]}'],
    [
      route('POST', '/admin/users/import', { options: { takesUpload: true } }),
      '{POST [/admin/users/import], consumes [multipart/form-data]}',
    ],
    [
      route('POST', '/token/introspect', { options: { takesForm: true } }),
      '{POST [/token/introspect], consumes [application/x-www-form-urlencoded]}',
    ],
  ])('lists other media types that it consumes and produces: %#', (of, predicate) => {
    expect(controllerMapping(of).predicate).toBe(predicate);
  });
});

it('M1: the media types of a mapping are objects', () => {
  const upload = route('POST', '/import', { mediaType: 'text/html', options: { takesUpload: true } });

  expect(controllerMapping(upload).details.requestMappingConditions).toEqual({
    methods: ['POST'],
    patterns: ['/import'],
    consumes: [{ mediaType: 'multipart/form-data', negated: false }],
    produces: [{ mediaType: 'text/html', negated: false }],
    headers: [],
    params: [],
  });
});

it('a management route is listed once despite its trailing slash', () => {
  const paths = ['/', '/actuator/loggers/:name', '/actuator/loggers/:name/', '/actuator/health/*'];

  const views = managementMappings(paths.map((path) => ({ method: 'GET', path })));

  expect(views.map(({ predicate }) => predicate)).toEqual([
    '{GET [/]}',
    '{GET [/actuator/loggers/{name}]}',
    '{GET [/actuator/health/{*path}]}',
  ]);
});
