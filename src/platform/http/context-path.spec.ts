import { expect, it } from 'vitest';
import { originForm, withoutContextPath } from './context-path.js';

it.each([
  ['/auth', '/auth/login?a=1', '/login?a=1'],
  ['/auth', '/auth', '/'],
  ['/auth', '/auth/', '/'],
  ['/auth', '/auth?a=1', '/?a=1'],
  ['/auth/v1', '/auth/v1/2fa', '/2fa'],
  ['/auth', 'http://evil.example/auth/me', '/me'],
  ['/auth', 'HTTPS://evil.example:80/auth?a=1', '/?a=1'],
  ['/grün', '/gr%C3%BCn/me', '/me'],
  ['/auth', '/.well-known/openid-configuration/auth', '/.well-known/openid-configuration'],
  ['/auth/v1', '/.well-known/jwks.json/auth/v1?a=/auth', '/.well-known/jwks.json?a=/auth'],
])('with context path %s, the target %s is routed as %s', (contextPath, target, inside) => {
  expect(withoutContextPath(contextPath)(target)).toBe(inside);
});

it.each([
  '/login',
  '/',
  '/authx/login',
  '/AUTH/login',
  '/%61uth/login',
  '//auth/login',
  '/auth../login',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/',
  '/.well-known/openid-configuration/auth/',
  '/.well-known/openid-configuration/other',
  '/.well-known/a/b/auth',
  '/me/auth',
  '*',
  '',
  'http://auth/login',
])('with context path /auth, no route gets the target "%s"', (target) => {
  // Routes start with a slash, so none takes this.
  expect(withoutContextPath('/auth')(target)).toBe('*');
});

it.each([
  ['http://evil.example/me?a=1', '/me?a=1'],
  ['http://evil.example', '/'],
  ['http://evil.example?a=/b', '/?a=/b'],
  ['/me', '/me'],
  ['//evil.example/me', '//evil.example/me'],
  ['*', '*'],
])('the target %s in origin form is %s', (target, expected) => {
  expect(originForm(target)).toBe(expected);
});
