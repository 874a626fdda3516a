import { Controller, Delete, Get, Header, Post } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { WithRouteOptions } from '../platform/http/route-options.decorator.js';
import { MountedRoutes } from './dispatch/mounted-routes.js';
import { MappingsEndpoint } from './mappings.endpoint.js';

@Controller()
class SampleController {
  @Post('login')
  login(): void {
    // The test does not call the route.
  }

  @Delete('sessions/:id')
  endSession(): void {
    // The test does not call the route.
  }

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): void {
    // The test does not call the route.
  }

  @Post('admin/users/import')
  @WithRouteOptions({ takesUpload: true })
  upload(): void {
    // The test does not call the route.
  }

  @Post('token/introspect')
  @WithRouteOptions({ takesForm: true })
  form(): void {
    // The test does not call the route.
  }

  @Post('import')
  @Header('content-type', 'text/html')
  @WithRouteOptions({ takesUpload: true })
  uploadPage(): void {
    // The test does not call the route.
  }
}

interface Mapping {
  readonly handler: string;
  readonly predicate: string;
  readonly details: { readonly requestMappingConditions: unknown };
}

/** The mappings that the endpoint lists for the controller above, and for `GET` of these paths without a controller. */
async function listed(
  mounted: readonly string[] = [],
): Promise<{ readonly main: readonly Mapping[]; readonly management: readonly Mapping[] }> {
  const discovery = { getControllers: () => [{ metatype: SampleController }] } as object as DiscoveryService;
  const routes = new MountedRoutes();
  const recorder = routes.recording({ add: () => undefined });
  for (const path of mounted) recorder.add('GET', path, () => Promise.resolve({ status: 200 }));
  const { body } = await ask(new MappingsEndpoint(discovery, new MetadataScanner(), routes), 'GET');
  const { contexts } = body as {
    contexts: { 'login-service': { mappings: { dispatcherServlets: Awaited<ReturnType<typeof listed>> } } };
  };
  return contexts['login-service'].mappings.dispatcherServlets;
}

describe('the mapping of a controller route', () => {
  it('has only method and path as conditions if it consumes and produces JSON', async () => {
    const { main } = await listed();

    expect(main[0]).toEqual({
      handler: 'SampleController#login',
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
    '{DELETE [/sessions/{id}]}',
    '{GET [/], produces [text/html]}',
    '{POST [/admin/users/import], consumes [multipart/form-data]}',
    '{POST [/token/introspect], consumes [application/x-www-form-urlencoded]}',
  ])('lists path variables and other media types that it consumes and produces: %s', async (predicate) => {
    const { main } = await listed();

    expect(main.map((mapping) => mapping.predicate)).toContain(predicate);
  });
});

it('M1: the media types of a mapping are objects', async () => {
  const { main } = await listed();

  expect(main.find(({ handler }) => handler === 'SampleController#uploadPage')?.details).toEqual({
    requestMappingConditions: {
      methods: ['POST'],
      patterns: ['/import'],
      consumes: [{ mediaType: 'multipart/form-data', negated: false }],
      produces: [{ mediaType: 'text/html', negated: false }],
      headers: [],
      params: [],
    },
  });
});

it('a management route is listed once despite its trailing slash', async () => {
  const paths = ['/', '/actuator/loggers/:name', '/actuator/loggers/:name/', '/actuator/health/*'];

  const { management } = await listed(paths);

  expect(management.map(({ predicate }) => predicate)).toEqual([
    '{GET [/]}',
    '{GET [/actuator/loggers/{name}]}',
    '{GET [/actuator/health/{*path}]}',
  ]);
});
