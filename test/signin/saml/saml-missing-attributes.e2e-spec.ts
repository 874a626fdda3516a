import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { MFA_CLASS, PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAIL = 'urn:test:mail';
const METHODS = 'urn:test:methods';
const GROUPS_LINK = 'http://schemas.microsoft.com/claims/groups.link';
const HOUR_SECONDS = 3600;
const KEYS = {
  'roles.attribute': ROLES,
  'roles.map[Admins]': 'ROLE_ADMIN',
  'roles.default': 'ROLE_STAFF',
  'email.attribute': MAIL,
  'authn-context.attribute': METHODS,
};

const classWarning = (idp: string): string =>
  'WARN An assertion lacks the attribute of authn-context.attribute: only its class states how the user signed in ' +
  `attribute=${METHODS} idp=${idp}`;

onSqlite('assertions that lack an attribute of the mapping', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: KEYS, other: KEYS, strict: { ...KEYS, 'on-missing-mfa': 'deny' } },
    { people: 0 },
  );
  const { story } = staff;
  const all = { [ROLES]: 'Admins', [MAIL]: 'ada@example.org', [METHODS]: MFA_CLASS };
  const without = (...names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));

  /** Every warning so far, which a line of the log may follow with a delay. */
  const expected: string[] = [];
  const warnings = (): readonly string[] => story.service.troubles.filter((line) => line.includes(' attribute='));

  /** Roles and reason of a login; expects that these warnings and no others were added. */
  async function outcome(bent: Partial<ResponseOptions>, idp = 'corp', added: readonly string[] = []) {
    const { client, answer } = await staff.signIn({ authnContextClassRef: PASSWORD_CLASS, ...bent }, { idp });
    expected.push(...added);
    await waitUntil('the log has the warnings', () => warnings().length >= expected.length);
    expect(warnings()).toEqual(expected);
    const event = (await staff.samlEvents()).at(-1);
    const roles = answer.status === 303 ? decodeJwt(await staff.accessToken(client))['roles'] : undefined;
    return { status: answer.status, roles, reason: event?.reason };
  }

  it('M2: a login without the attribute of roles loses its roles, with a warning and a reason of its own', async () => {
    const nameId = 'roles';
    const lost = { status: 303, roles: ['ROLE_STAFF'], reason: 'roles_missing' };
    const attributes = without(ROLES);
    const warning = (idp: string) =>
      `WARN An assertion lacks the attribute of roles.attribute: its user has only the roles of roles.default ` +
      `attribute=${ROLES} idp=${idp}`;

    const whole = await outcome({ nameId, attributes: all });
    expect(whole).toEqual({ status: 303, roles: ['ROLE_ADMIN', 'ROLE_STAFF'], reason: null });
    expect(await outcome({ nameId, attributes }, 'corp', [warning('corp')])).toEqual(lost);
    expect(await outcome({ nameId, attributes })).toEqual(lost);
    expect(await outcome({ nameId, attributes }, 'other', [warning('other')])).toEqual(lost);
    story.clock.advance(HOUR_SECONDS);
    expect(await outcome({ nameId, attributes }, 'corp', [warning('corp')])).toEqual(lost);
  });

  it('M2: a link in place of the groups, as Entra ID sends it for users in many groups, has its own reason', async () => {
    const link = 'https://graph.windows.net/tenant/users/1/getMemberObjects';

    const { roles, reason } = await outcome(
      { nameId: 'overage', attributes: { ...without(ROLES), [GROUPS_LINK]: link } },
      'corp',
      [
        'WARN The identity provider sent a link in place of the groups, since its user is in too many: the user has only ' +
          `the roles of roles.default attribute=${ROLES} idp=corp`,
      ],
    );

    expect({ roles, reason }).toEqual({ roles: ['ROLE_STAFF'], reason: 'groups_overage' });
  });

  it('M2: a login without mail address and class attribute names both in its reason', async () => {
    const { reason } = await outcome({ nameId: 'two', attributes: { [ROLES]: 'Others' } }, 'corp', [
      `WARN An assertion lacks the attribute of email.attribute: the account keeps its mail address attribute=${MAIL} idp=corp`,
      classWarning('corp'),
    ]);

    expect(reason).toBe('email_missing class_missing');
  });

  it('M2: a login that is rejected for want of the class attribute logs the warning, too', async () => {
    const { status, reason } = await outcome({ nameId: 'denied', attributes: without(METHODS) }, 'strict', [
      classWarning('strict'),
    ]);

    expect({ status, reason }).toEqual({ status: 403, reason: 'mfa_missing' });
  });

  it('M2: an attribute that is present without a value is not missing', async () => {
    const { roles, reason } = await outcome({ nameId: 'empty', attributes: { ...all, [ROLES]: [] } });

    expect({ roles, reason }).toEqual({ roles: ['ROLE_STAFF'], reason: null });
  });
});
