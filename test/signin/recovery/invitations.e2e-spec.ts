import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import { PUBLIC_URL, tokenIn } from '../../support/login/account-links.js';
import type { Answer } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { BROWSER, formOf, visit } from '../../support/pages/pages.js';
import { atOnce, outcomes } from '../../support/login/races.js';
import type { Ended } from '../../support/programs/service.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const CHOSEN = 'nine wet lanterns & 3 harbours';
const FORGOT = '/portal/forgot';
const WEEK_SECONDS = 7 * 86_400;
const INVITED = 'An account was created for you';
/** The port of TCPMUX, on which nobody listens. */
const CLOSED_PORT = 1;
const MAILBOXES = await openMailboxes();

onAnyEngine('invitations', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const story = storyOn(engine, { people: 3, args: [...mailbox.args, `--app.security.public-url=${PUBLIC_URL}`] });

  async function invite(id: string, ...more: readonly string[]): Promise<Ended> {
    const ended = await story.command('users', 'invite', id, ...more);
    expect(ended.exitCode, ended.stderr).toBe(0);
    return ended;
  }

  async function mailedToken(id: string, number = 1): Promise<string> {
    return tokenIn((await mailbox.mailTo(`${id}@harbour.example`, INVITED, number)).text);
  }

  function accept(token: string, password = CHOSEN): Promise<Answer> {
    return story.client().post('/invitation', { token, new: password });
  }

  function login(id: string, pw: string): Promise<Answer> {
    return story.client().post('/login', { id, pw });
  }

  async function shown(id: string): Promise<string> {
    return (await story.command('users', 'show', id)).stdout;
  }

  it('S9: an invited user has no password until the link sets one, and must then enrol a second factor', async () => {
    const { stdout } = await invite('eva', '--email', 'eva@harbour.example', '--roles', 'ROLE_AUDITOR');
    const before = await login('eva', CHOSEN);
    const unknown = await login('nobody', CHOSEN);
    const isInvited = await shown('eva');
    const token = await mailedToken('eva');

    const weak = await accept(token, 'password');
    const accepted = await accept(token);

    expect(stdout).not.toContain('token');
    expect(before).toBeRefused(401, 'INVALID_CREDENTIALS');
    expect(Object.keys(before.body)).toEqual(Object.keys(unknown.body));
    expect(isInvited).toMatch(/^password +none, invited at \S+Z, not accepted yet$/m);
    expect(weak.body['errors']).toEqual([{ field: 'new', code: 'too_common' }]);
    expect(accepted).toBeAnswered(204);
    expect(accepted.cookies).toEqual([]);
    expect((await login('eva', CHOSEN)).body).toMatchObject({ mfa_required: true, enrolment_required: true });
    expect(await shown('eva')).toMatch(/^password +set$/m);
    expect(await accept(token, `${CHOSEN} again`)).toBeRefused(401, 'LINK_INVALID');
    expect((await story.events({ id: 'eva' })).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['USER_CREATED', 'USER_INVITED', 'INVITATION_ACCEPTED']),
    );
  });

  it('S9: exactly one of 50 acceptances of one invitation at once succeeds', async () => {
    await invite('rolf', '--email', 'rolf@harbour.example');
    const token = await mailedToken('rolf');

    const answers = await atOnce(50, (index) => accept(token, `${CHOSEN} ${index}`));

    expect(outcomes(answers)).toEqual({ 204: 1, LINK_INVALID: 49 });
    expect(await story.countOf({ id: 'rolf' }, 'INVITATION_ACCEPTED')).toBe(1);
  });

  it('S9: an invitation is sent again, to another address too, and ends the previous link', async () => {
    await invite('gerd', '--email', 'gred@harbour.example');
    const first = tokenIn((await mailbox.mailTo('gred@harbour.example', INVITED)).text);
    await invite('gerd', '--email', 'gerd@harbour.example');
    const second = await mailedToken('gerd');
    await invite('gerd');
    const third = await mailedToken('gerd', 2);

    expect(await accept(first)).toBeRefused(401, 'LINK_INVALID');
    expect(await accept(second)).toBeRefused(401, 'LINK_INVALID');
    expect(await accept(third)).toBeAnswered(204);
    expect(await story.countOf({ id: 'gerd' }, 'USER_INVITED')).toBe(3);
  });

  it('S9: an invitation expires after a week, or when an administrator sets a password', async () => {
    await invite('olga', '--email', 'olga@harbour.example');
    await invite('udo', '--email', 'udo@harbour.example');
    const [late, replaced] = [await mailedToken('olga'), await mailedToken('udo')];
    const { stdout } = await story.command('users', 'set-password', 'udo');
    story.clock.advance(WEEK_SECONDS);

    expect(await accept(late)).toBeRefused(401, 'LINK_INVALID');
    expect(await accept(replaced)).toBeRefused(401, 'LINK_INVALID');
    expect(stdout).toContain('set a temporary password');
    expect(await shown('udo')).toMatch(/^password +temporary/m);
  });

  it('C9: the command that invited a user, repeated with the same roles, invites the user again', async () => {
    const command = ['users', 'invite', 'roy', '--email', 'roy@harbour.example', '--roles', 'ROLE_HELPDESK,ROLE_USER'];
    const first = await story.command(...command, '--print-link');

    const again = await story.command(...command, '--print-link');
    const other = await story.command('users', 'invite', 'roy', '--roles', 'ROLE_ADMIN', '--print-link');

    expect([first.exitCode, again.exitCode], again.stderr).toEqual([0, 0]);
    expect(tokenIn(again.stdout)).not.toBe(tokenIn(first.stdout));
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain('has other roles: invite the user again without --roles');
  });

  it('S9: users invite prints a link that works once if it is asked to', async () => {
    const { stdout } = await invite('lea', '--print-link');

    expect(stdout).toMatch(
      /^Invited user lea\. The link is valid once, until \S+Z, and shown only now: https:\/\/login\.example\/portal\/invitation\?token=/,
    );
    expect(await accept(tokenIn(stdout))).toBeAnswered(204);
    expect(await login('lea', CHOSEN)).toBeAnswered(200);
  });

  it.each<readonly [string, readonly string[], string]>([
    ['a user who has a password', ['person-1', '--email', 'p@harbour.example'], 'never had a password'],
    ['other roles for an existing user', ['person-1', '--roles', 'ROLE_A'], 'has other roles'],
    ['a mail without an address', ['frida'], '--email'],
    ['a malformed address', ['frida', '--email', 'harbour.example'], 'malformed'],
    ['a malformed role', ['frida', '--email', 'f@harbour.example', '--roles', 'admin'], 'Role names'],
  ])('users invite rejects %s', async (_name, args, complaint) => {
    const { exitCode, stderr } = await story.command('users', 'invite', ...args);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(complaint);
    expect(await story.database.query("SELECT id FROM account WHERE login_id = 'frida'")).toEqual([]);
  });

  it('an invitation is an event and a log line with actor, operating-system user and reason', async () => {
    const { stderr } = await invite('mara', '--email', 'mara@harbour.example', '--reason', 'ticket 7');

    const actor = `cli:${userInfo().username}`;
    const event = (await story.events({ id: 'mara' })).find(({ kind }) => kind === 'USER_INVITED');
    expect(event).toMatchObject({ actor, detail: '{"stated_reason":"ticket 7"}' });
    const line = stderr.split('\n').find((each) => each.includes('USER_INVITED'));
    expect(line).toContain(actor);
    expect(line).toContain('ticket 7');
  });
});

onSqlite('invitations while second factors are optional', (engine) => {
  const story = storyOn(engine, { people: 1, args: ['--app.security.mfa.policy=optional'] });

  it('S9: an invited user signs in by the new password alone', async () => {
    const { stdout } = await story.command('users', 'invite', 'eva', '--print-link');
    await story.client().post('/invitation', { token: tokenIn(stdout), new: CHOSEN });

    const answer = await story.client().post('/login', { id: 'eva', pw: CHOSEN });

    expect(answer.body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
  });
});

onSqlite('a service without a mail relay', (engine) => {
  const story = storyOn(engine, { people: 2, args: [`--app.security.public-url=${PUBLIC_URL}`] });

  it('S9: creates no links, but those that a command prints', async () => {
    const refused = await story.command('users', 'invite', 'eva', '--email', 'eva@harbour.example');
    await story.database.query("UPDATE account SET email = 'p@harbour.example' WHERE login_id = 'person-1'");

    const forgot = await story.client().post('/password/forgot', { id: 'person-1' });
    const printed = await story.command('users', 'invite', 'eva', '--print-link');

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('--print-link');
    expect(forgot).toBeAnswered(202);
    expect(printed.exitCode).toBe(0);
    const rows = await story.database.query<{ kind: string }>('SELECT kind FROM account_link');
    expect(rows).toEqual([{ kind: 'invitation' }]);
  });

  it('has no page for a forgotten password, and no link to it', async () => {
    const client = story.client();
    const signIn = await visit(client, '/portal/login');
    const { fields } = formOf(client, signIn);
    const page = await visit(client, FORGOT);
    const posted = await client.send('POST', FORGOT, {
      form: { csrf: fields['csrf'] ?? '', id: 'person-1' },
      headers: BROWSER,
    });
    const usedLink = await visit(client, `/portal/reset?token=${'A'.repeat(43)}`);

    expect(signIn.text).not.toContain(FORGOT);
    expect(page).toBeAnswered(404);
    expect(page.text).toContain(messagesOf('en').problem.titleNotFound);
    expect(posted.status).toBe(404);
    expect(usedLink.text).toContain(messagesOf('en').linkInvalid.title);
    expect(usedLink.text).not.toContain(FORGOT);
  });
});

onAnyEngine('invitations while the mail relay is away', (engine) => {
  const args = [`--app.mail.port=${CLOSED_PORT}`, '--app.mail.host=127.0.0.1', '--app.mail.poll-interval=50ms'];
  const story = storyOn(engine, { people: 1, args: [...args, `--app.security.public-url=${PUBLIC_URL}`] });

  it('S9: an invitation that waits for the relay has already ended the previous link', async () => {
    await story.command('users', 'invite', 'eva', '--email', 'eva@harbour.example');
    await waitUntil('the outage is noticed', async () => {
      const failed = await story.database.query('SELECT id FROM mail_message WHERE last_error IS NOT NULL');
      return failed.length > 0 ? failed : undefined;
    });
    const { stdout } = await story.command('users', 'invite', 'lea', '--email', 'lea@harbour.example', '--print-link');
    const token = tokenIn(stdout);

    const { exitCode, stderr } = await story.command('users', 'invite', 'lea');

    expect(exitCode, stderr).toBe(0);
    expect(await story.client().post('/invitation', { token, new: CHOSEN })).toBeRefused(401, 'LINK_INVALID');
  });
});
