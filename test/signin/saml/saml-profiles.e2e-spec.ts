import { expect, it } from 'vitest';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { PASSWORD_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { tokenIn } from '../../support/login/account-links.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const MAILBOXES = await openMailboxes();
const [MAIL, NAME, GROUPS] = ['urn:test:mail', 'urn:test:name', 'urn:test:groups'];
const KEYS = { 'email.attribute': MAIL, 'name.attribute': NAME, 'groups.attribute': GROUPS };
const ALL = { [MAIL]: 'ada@example.org', [NAME]: 'Ada Lovelace', [GROUPS]: ['ops', 'Domain Users'] };

interface ProfileRow {
  readonly email: string | null;
  readonly verified: number;
  readonly display_name: string | null;
  readonly group_names: string;
}

const PROFILE =
  'SELECT email, COALESCE(email_verified_version = email_version, 0) AS verified, display_name, group_names ' +
  'FROM account WHERE login_id = ?';

onEachEngine('the profile of staff', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const staff = staffStoryOn(
    engine,
    { corp: KEYS, sure: { ...KEYS, 'email.verified': 'true' }, mute: { 'roles.attribute': ROLES } },
    { people: 0, args: mailbox.args },
  );
  const { story } = staff;

  async function profileAfter(
    nameId: string,
    attributes: NonNullable<ResponseOptions['attributes']>,
    idp = 'corp',
  ): Promise<object> {
    const { answer } = await staff.signIn({ nameId, attributes, authnContextClassRef: PASSWORD_CLASS }, { idp });
    expect(answer.status).toBe(303);
    const [row] = await story.database.query<ProfileRow>(PROFILE, [`${idp}:${nameId}`]);
    return { ...row, verified: Number(row?.verified) };
  }

  const reasons = async (loginId: string): Promise<readonly unknown[]> =>
    (await story.events({ id: loginId })).filter(({ kind }) => kind === 'USER_CHANGED').map(({ reason }) => reason);

  it('comes from the configured attributes at the first sign-in; the address is not verified by itself', async () => {
    expect(await profileAfter('first', ALL)).toEqual({
      email: 'ada@example.org',
      verified: 0,
      display_name: 'Ada Lovelace',
      group_names: 'Domain Users,ops',
    });
    expect(await profileAfter('first', ALL, 'mute')).toMatchObject({
      email: null,
      display_name: null,
      group_names: '',
    });
  });

  it('is stored again only where a sign-in states something else', async () => {
    const updated = async (): Promise<unknown> =>
      (await story.database.query('SELECT updated_at FROM account WHERE login_id = ?', ['corp:later']))[0];
    await profileAfter('later', ALL);
    const before = await updated();
    story.clock.advance(60);

    await profileAfter('later', { ...ALL, [GROUPS]: ['Domain Users', 'ops', 'ops'] });
    expect(await updated()).toEqual(before);
    expect(await reasons('corp:later')).toEqual([]);

    expect(await profileAfter('later', { ...ALL, [NAME]: 'Ada King', [GROUPS]: 'ops' })).toMatchObject({
      display_name: 'Ada King',
      group_names: 'ops',
    });
    expect(await updated()).not.toEqual(before);
    expect(await reasons('corp:later')).toEqual(['displayName groups']);
  });

  it('has a verified address where the configuration says that the identity provider vouches for it', async () => {
    expect(await profileAfter('sure', ALL, 'sure')).toMatchObject({ verified: 1 });
    expect(await profileAfter('sure', { ...ALL, [MAIL]: 'new@example.org' }, 'sure')).toMatchObject({
      email: 'new@example.org',
      verified: 1,
    });
    expect(await profileAfter('sure', { ...ALL, [MAIL]: 'nowhere' }, 'sure')).toMatchObject({
      email: 'new@example.org',
      verified: 1,
    });
    expect(await reasons('sure:sure')).toEqual(['email emailVerified']);
  });

  it('is verified at the next sign-in if an administrator has ended the verification', async () => {
    await profileAfter('again', ALL, 'sure');
    await story.database.query('UPDATE account SET email_verified_version = NULL WHERE login_id = ?', ['sure:again']);

    expect(await profileAfter('again', ALL, 'sure')).toMatchObject({ verified: 1 });
    expect(await reasons('sure:again')).toEqual(['emailVerified']);
  });

  it('loses the verification with another address where the identity provider does not vouch for it', async () => {
    await profileAfter('loses', ALL);
    await story.database.query('UPDATE account SET email_verified_version = email_version WHERE login_id = ?', [
      'corp:loses',
    ]);

    expect(await profileAfter('loses', ALL)).toMatchObject({ verified: 1 });
    expect(await profileAfter('loses', { ...ALL, [MAIL]: 'new@example.org' })).toMatchObject({ verified: 0 });
  });

  it('keeps name and address that an assertion lacks, but no group, and the log warns once', async () => {
    await profileAfter('lacks', ALL);
    await profileAfter('lacks', { [NAME]: 'Ada\u2028Bcc: x', [MAIL]: 'a@example.org', [GROUPS]: ['x,y', 'ops'] });
    const after = await profileAfter('lacks', { [MAIL]: 'a@example.org' });

    expect(after).toMatchObject({ email: 'a@example.org', display_name: 'Ada Lovelace', group_names: '' });
    const lines = await waitUntil('the log has the warnings', () => {
      const found = story.service.troubles.filter((line) => /groups|name\.attribute/.test(line));
      return found.length < 3 ? undefined : found;
    });
    expect(lines).toEqual([
      expect.stringContaining(`groups that are left out`),
      expect.stringContaining(
        `lacks the attribute of name.attribute: the account keeps its display name attribute=${NAME}`,
      ),
      expect.stringContaining(
        `lacks the attribute of groups.attribute: the account has no groups now attribute=${GROUPS}`,
      ),
    ]);
  });

  it('has an address that staff verify by a link, but do not change here', async () => {
    const attributes = { ...ALL, [MAIL]: 'own@example.org' };
    const { client } = await staff.signIn({ nameId: 'owner', attributes, authnContextClassRef: PASSWORD_CLASS });
    const bearer = await staff.accessToken(client);
    const ask = (email: string) => client.post('/me/email', { email }, { bearer });

    expect(await ask('other@example.org')).toBeRefused(409, 'CONFLICT');
    expect(await ask('own@example.org')).toBeAnswered(202);
    const { text } = await mailbox.mailTo('own@example.org', '/portal/email?token=');
    expect(await story.client().post('/account/email', { token: tokenIn(text) })).toBeAnswered(204);

    expect((await client.get('/me', { bearer })).body).toMatchObject({ email_verified: true });
    expect(await profileAfter('owner', attributes)).toMatchObject({ verified: 1 });
  });

  it('X15: groups never become roles', async () => {
    await profileAfter('roles', { ...ALL, [GROUPS]: ['ROLE_ADMIN', 'ROLE_MANAGEMENT'] });

    const [row] = await story.database.query('SELECT roles, is_admin FROM account WHERE login_id = ?', ['corp:roles']);
    expect(row).toMatchObject({ roles: '', is_admin: 0 });
  });
});
