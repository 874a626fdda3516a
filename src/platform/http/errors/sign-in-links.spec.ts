import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type RequiredLogin, StepUpRequired } from '../../../kernel/principal/amr.js';
import type { ErrorPageOptions } from '../route-options.decorator.js';
import { authenticationPageOf, repeatedAt, signInPathOf } from './sign-in-links.js';

const PAGES: ErrorPageOptions = { backTo: '/login', stepUpAt: '/verify', redirectsVisitors: true };
const FORM: ErrorPageOptions = { ...PAGES, formPage: '/users/:id' };

function request(method: string): FastifyRequest {
  const lifecycle = { routeOptions: { errorPages: PAGES } };
  return { method, url: '/users/7', params: { id: '7' }, lifecycle } as unknown as FastifyRequest;
}

it.each<[RequiredLogin, string]>([
  [{ method: 'otp', maxAge: 300 }, '&required=otp'],
  [{ method: 'otp' }, '&required=otp'],
  [{ method: 'passkey' }, '&required=passkey'],
  [{ method: 'mfa', maxAge: 300 }, ''],
  [{ method: 'pwd' }, ''],
])('a page or form that needs %j leads to the page for the second factor with "%s"', (required, rest) => {
  const error = new StepUpRequired(required);
  const link = `/verify?return_to=%2Fauth%2Fusers%2F7${rest}`;

  expect(authenticationPageOf(error, request('GET'), '/auth')).toBe(`/auth${link}`);
  expect(signInPathOf(error, FORM, request('POST'), '/auth')).toBe(link);
});

it('an invalid session leads to the sign-in page, and other errors nowhere', () => {
  const link = '/login?return_to=%2Fauth%2Fusers%2F7';

  expect(authenticationPageOf(new ServiceError('INVALID_TOKEN'), request('GET'), '/auth')).toBe(`/auth${link}`);
  expect(signInPathOf(new ServiceError('INVALID_TOKEN'), FORM, request('POST'), '/auth')).toBe(link);
  expect(authenticationPageOf(new ServiceError('ACCESS_DENIED'), request('GET'), '/auth')).toBeUndefined();
  expect(authenticationPageOf(new StepUpRequired({ method: 'otp' }), request('POST'), '/auth')).toBeUndefined();
});

it.each([
  ['/login', '?attempt=1'],
  ['/login?return_to=%2Fme&attempt=7', '?return_to=%2Fme&attempt=8'],
  ['/login?attempt=8', undefined],
  ['/login?attempt=-1', undefined],
  ['/login?attempt=1e0', undefined],
])('a form that was sent to %s is sent again to %s', (originalUrl, again) => {
  expect(repeatedAt({ originalUrl } as FastifyRequest)).toBe(again);
});
