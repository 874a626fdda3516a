import { expect, it } from 'vitest';
import type { Operator } from './operator.js';
import { isShown, type Show } from './show.js';

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
])('$who with roles $roles lets $operator see: $sees', ({ who, roles, operator, sees }) => {
  expect(isShown(who, roles, operator)).toBe(sees);
});
