import { expect, it } from 'vitest';
import { allows, effectiveAccess, isExposed, isShown, ownDefaultAccess, type Show } from './access.js';
import { ENDPOINT_KEYS } from './access.properties.js';
import type { Operator } from '../../kernel/principal/operator.js';

it.each([
  ['none', []],
  ['read-only', ['GET']],
  ['unrestricted', ['GET', 'POST', 'DELETE']],
] as const)('access %s permits %j', (access, methods) => {
  const all = ['GET', 'POST', 'DELETE'] as const;

  expect(all.filter((method) => allows(access, { method }))).toEqual(methods);
});

it('access is limited by max-permitted', () => {
  const levels = ['none', 'read-only', 'unrestricted'] as const;
  const table = levels.map((maxPermitted) => levels.map((access) => effectiveAccess('env', access, { maxPermitted })));

  expect(table).toEqual([
    ['none', 'none', 'none'],
    ['none', 'read-only', 'read-only'],
    ['none', 'read-only', 'unrestricted'],
  ]);
});

it('access defaults to none for heapdump and shutdown and to unrestricted for others', () => {
  const closed = [...ENDPOINT_KEYS.keys()].filter((id) => ownDefaultAccess(id) === 'none');

  expect(closed).toEqual(['heapdump', 'shutdown']);
});

it.each([
  { include: ['health'], exclude: [], exposed: true },
  { include: ['*'], exclude: [], exposed: true },
  { include: ['HEALTH'], exclude: [], exposed: true },
  { include: [], exclude: [], exposed: false },
  { include: ['info'], exclude: [], exposed: false },
  { include: ['*'], exclude: ['health'], exposed: false },
  { include: ['health'], exclude: ['*'], exposed: false },
  { include: ['health'], exclude: ['He-alth'], exposed: false },
])('include $include and exclude $exclude expose health: $exposed', ({ include, exclude, exposed }) => {
  expect(isExposed('health', include, exclude)).toBe(exposed);
});

it('endpoint ids are compared without case, dashes and dots', () => {
  expect(isExposed('httpexchanges', ['http-exchanges'], [])).toBe(true);
});

const operator: Operator = { name: 'op', roles: ['ROLE_MANAGEMENT'] };

it.each<{ who: Show; roles: readonly string[]; operator: Operator | undefined; sees: boolean }>([
  { who: 'never', roles: [], operator: operator, sees: false },
  { who: 'never', roles: ['MANAGEMENT'], operator: operator, sees: false },
  { who: 'always', roles: [], operator: undefined, sees: true },
  { who: 'always', roles: ['OTHER'], operator: operator, sees: true },
  { who: 'when-authorized', roles: [], operator: undefined, sees: false },
  { who: 'when-authorized', roles: [], operator: operator, sees: true },
  { who: 'when-authorized', roles: ['MANAGEMENT'], operator: operator, sees: true },
  { who: 'when-authorized', roles: ['ROLE_MANAGEMENT'], operator: operator, sees: true },
  { who: 'when-authorized', roles: ['AUDITOR', 'MANAGEMENT'], operator: operator, sees: true },
  { who: 'when-authorized', roles: ['AUDITOR'], operator: operator, sees: false },
  { who: 'when-authorized', roles: ['MANAGE'], operator: operator, sees: false },
  { who: 'when-authorized', roles: ['MANAGEMENT'], operator: undefined, sees: false },
])('show=$who with roles $roles shows values to $operator: $sees', ({ who, roles, operator, sees }) => {
  expect(isShown(who, roles, operator)).toBe(sees);
});
