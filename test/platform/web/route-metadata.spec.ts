import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { AppModule } from '../../../src/app.module.js';
import { REFRESH_TOKEN, SESSION } from '../../../src/signin/auth/cookies.js';
import { SAFE } from '../../../src/signin/auth/guards/cross-site.js';
import { CROSS_SITE, SIGN_IN } from '../../../src/kernel/principal/access.decorator.js';
import { groupOf } from '../../../src/platform/rate-limit/rate-limited.decorator.js';
import type { RouteGroup } from '../../../src/platform/rate-limit/route-group.js';
import { type Controller, type Route, routesOfController } from '../../../src/platform/web/openapi/routes.js';

interface Located extends Route {
  readonly name: string;
  /** True if the handler or its controller carries the mark. */
  readonly hasMark: (mark: string) => boolean;
  readonly group: RouteGroup;
}

const ROUTES = controllersOf(AppModule).flatMap(locatedRoutes);
const namesOf = (routes: readonly Located[]): readonly string[] => routes.map(({ name }) => name).toSorted();

describe('the metadata of every route', () => {
  it('is read from the controllers of the service', () => {
    expect(namesOf(ROUTES)).toEqual(expect.arrayContaining(['POST /login', 'GET /me', 'POST /2fa/verify']));
  });

  it('marks exactly the routes at and below /2fa as routes of the second factor', () => {
    const marked = ROUTES.filter(({ access }) => access.isSecondFactor);

    expect(namesOf(marked)).toEqual(namesOf(ROUTES.filter(({ access }) => /^\/2fa(?:\/|$)/.test(access.template))));
  });

  it('opens no route to half-authenticated callers that is not a route of the second factor', () => {
    const open = ROUTES.filter(({ access }) => access.alsoHalfAuthenticated);

    expect(open.length).toBeGreaterThan(0);
    expect(namesOf(open.filter(({ access }) => !access.isSecondFactor))).toEqual([]);
  });

  it('asks administrators for any second factor of the last five minutes, and for a one-time code nowhere', () => {
    const administration = ROUTES.filter(({ access }) => /^(?:\/portal)?\/admin(?:\/|$)/.test(access.template));
    const asked = new Set(administration.map(({ access }) => JSON.stringify(access.amr)));

    expect(asked).toEqual(new Set([JSON.stringify({ method: 'mfa', maxAge: 300 })]));
    expect(namesOf(ROUTES.filter(({ access }) => access.amr?.method === 'otp'))).toEqual(['GET /me/settlement']);
  });

  it('checks the origin at every public route whose response sets or clears the cookie of a login', () => {
    const unchecked = ROUTES.filter(({ access, operation, hasMark }) => {
      const setsLogin = operation?.cookies?.some((cookie) => [SESSION, REFRESH_TOKEN].includes(cookie)) === true;
      return access.isPublic && setsLogin && !SAFE.has(access.method) && !hasMark(SIGN_IN) && !hasMark(CROSS_SITE);
    });

    expect(namesOf(unchecked)).toEqual([]);
  });

  it('every route that changes state or signs in is in a group of limits, and so are the routes of one credential', () => {
    const open = ROUTES.filter(({ group }) => group === 'open');
    const sso = ROUTES.filter(({ access }) => /^\/saml\/:idp\/(?:login|acs|slo|logout)$/.test(access.template));

    expect(namesOf(open.filter(({ access }) => !SAFE.has(access.method)))).toEqual(['POST /token/introspect']);
    expect(namesOf(open.filter(({ access }) => !access.isPublic))).toEqual([]);
    expect(new Set(sso.map(({ group }) => group))).toEqual(new Set(['sso']));
    expect(new Set(ROUTES.filter(({ options }) => options.hashesPassword).map(({ group }) => group))).toEqual(
      new Set(['sign-in', 'recovery']),
    );
    expect(
      new Set(ROUTES.filter(({ access }) => access.template.includes('/admin/')).map(({ group }) => group)),
    ).toEqual(new Set(['administration']));
  });

  it('lists the routes that hash a password for callers who are not signed in', () => {
    const limited = ROUTES.filter(({ options }) => options.hashesPassword);

    expect(namesOf(limited)).toEqual([
      ...['POST /invitation', 'POST /login', 'POST /password/reset'],
      ...['POST /portal/invitation', 'POST /portal/login', 'POST /portal/reset', 'POST /session'],
    ]);
    expect(namesOf(limited.filter(({ access }) => !access.isPublic))).toEqual([]);
  });

  it('limits every public route that takes a password by the time of a hash', () => {
    const takesPassword = ROUTES.filter(({ access, inputs }) => {
      return (
        access.isPublic &&
        inputs.some(
          ({ from, schema }) => from === 'body' && schema && ['pw', 'new'].some((name) => name in entriesOf(schema)),
        )
      );
    });

    expect(takesPassword.length).toBeGreaterThan(0);
    expect(namesOf(takesPassword.filter(({ options }) => options.hashesPassword !== true))).toEqual([]);
  });

  it('lists the routes that sign a browser in or out', () => {
    const marked = ROUTES.filter(({ access, hasMark }) => hasMark(SIGN_IN) && !SAFE.has(access.method));

    expect(namesOf(marked)).toEqual([
      ...['DELETE /session', 'POST /login', 'POST /login/2fa', 'POST /login/passkey', 'POST /login/passkey/options'],
      'POST /portal/email',
      ...['POST /portal/forgot', 'POST /portal/invitation', 'POST /portal/login'],
      ...['POST /portal/login/passkey', 'POST /portal/logout'],
      ...['POST /portal/not-me', 'POST /portal/reset', 'POST /portal/unlock'],
      ...['POST /saml/:idp/logout', 'POST /session'],
      ...['POST /token/introspect', 'POST /token/refresh', 'POST /token/revoke'],
    ]);
  });
});

/** The members that the schema of a body has. */
function entriesOf(schema: object): object {
  return 'entries' in schema && typeof schema.entries === 'object' && schema.entries ? schema.entries : {};
}

function locatedRoutes(controller: Controller): readonly Located[] {
  const [scanner, reflector] = [new MetadataScanner(), new Reflector()];
  const { prototype } = controller as unknown as { readonly prototype: Readonly<Record<string, object>> };
  return routesOfController(controller, scanner).map((route) => {
    const handler = prototype[route.handler.replace(/^.*#/, '')] ?? controller;
    return {
      ...route,
      name: `${route.access.method} ${route.access.template}`,
      hasMark: (mark) => [handler, controller].some((target) => Reflect.getMetadata(mark, target) === true),
      group: groupOf(reflector, {
        getHandler: () => handler,
        getClass: () => controller,
      } as unknown as ExecutionContext),
    };
  });
}

/** The controllers of a module and of all modules that it imports. */
function controllersOf(module: object, seen = new Set<object>()): readonly Controller[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const imported = (Reflect.getMetadata('imports', module) ?? []) as readonly (object & { module?: object })[];
  const own = (Reflect.getMetadata('controllers', module) ?? []) as readonly Controller[];
  return [...own, ...imported.flatMap((each) => controllersOf(each.module ?? each, seen))];
}
