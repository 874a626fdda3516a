import type { ExecutionContext } from '@nestjs/common';
import { expect, it } from 'vitest';
import type { ReturnTargets } from '../../../platform/web/return-targets.service.js';
import { SamlAuthGuard } from './saml-auth.guard.js';

it.each([
  ['no login', null, undefined],
  ['a failure without an error', undefined, false],
  ['an error that is no Error', 'text', { opened: true }],
])('the guard of the assertion consumer service admits no post if Passport reports %s', (_, error, login) => {
  const request: { staffLogin?: unknown } = {};
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext;
  const guard = new SamlAuthGuard({ contextPath: '' } as ReturnTargets);

  expect(() => guard.handleRequest(error, login, undefined, context)).toThrow('the strategy has accepted no login');
  expect(request).toEqual({});
});
