import { expect, it } from 'vitest';
import type { Caller } from './operator.js';
import { maySee, type WhoSees } from './show.js';

const operator: Caller = { name: 'op', roles: ['ROLE_MANAGEMENT'] };

it.each<{ who: WhoSees; roles: readonly string[]; caller: Caller | undefined; sees: boolean }>([
  { who: 'never', roles: [], caller: operator, sees: false },
  { who: 'never', roles: ['MANAGEMENT'], caller: operator, sees: false },
  { who: 'always', roles: [], caller: undefined, sees: true },
  { who: 'always', roles: ['OTHER'], caller: operator, sees: true },
  { who: 'when-authorized', roles: [], caller: undefined, sees: false },
  { who: 'when-authorized', roles: [], caller: operator, sees: true },
  { who: 'when-authorized', roles: ['MANAGEMENT'], caller: operator, sees: true },
  { who: 'when-authorized', roles: ['ROLE_MANAGEMENT'], caller: operator, sees: true },
  { who: 'when-authorized', roles: ['AUDITOR', 'MANAGEMENT'], caller: operator, sees: true },
  { who: 'when-authorized', roles: ['AUDITOR'], caller: operator, sees: false },
  { who: 'when-authorized', roles: ['MANAGE'], caller: operator, sees: false },
  { who: 'when-authorized', roles: ['MANAGEMENT'], caller: undefined, sees: false },
])('$who with roles $roles lets $caller see: $sees', ({ who, roles, caller, sees }) => {
  expect(maySee(who, roles, caller)).toBe(sees);
});
