import { userInfo } from 'node:os';
import { beforeAll, expect, it } from 'vitest';
import { AdminBrowser, ADMINISTRATION } from '../../support/pages/admin-pages.js';
import { ADMIN, Administrator, csv, HELP_DESK } from '../../support/login/administrator.js';
import { storyOn } from '../../support/login/login-story.js';
import { withAddress } from '../../support/mail/notices.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const STATED = { reason: 'the phone is lost', ticket: 'HD-4711' };
const STORED = { stated_reason: STATED.reason, ticket: STATED.ticket };
/** Nothing is mailed: the refusals come first. */
const WITH_RELAY = ['--app.mail.host=127.0.0.1', '--app.mail.port=9'];

interface Refusal {
  readonly user_id: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly detail: unknown;
}

interface StoredRefusal extends Refusal {
  readonly id: string;
  readonly detail: string;
}

onAnyEngine('refused acts of the administration', (engine) => {
  const others = { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' };
  const story = storyOn(engine, { people: 6, others, args: WITH_RELAY });
  let admin: Administrator;
  let desk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    desk = await Administrator.of(story, HELP_DESK);
  });

  /** The refusals that `act` causes. */
  async function refusalsOf(act: () => Promise<unknown>): Promise<readonly Refusal[]> {
    const sql =
      "SELECT id, user_id, actor, reason, detail FROM security_event WHERE kind = 'ADMIN_ACT_REFUSED' AND result = 'refused' " +
      'ORDER BY id';
    const read = (): Promise<readonly StoredRefusal[]> => story.database.query<StoredRefusal>(sql);
    const before = new Set((await read()).map(({ id }) => id));
    await act();
    const added = (await read()).filter(({ id }) => !before.has(id));
    return added.map(({ user_id, actor, reason, detail }) => ({
      user_id,
      actor,
      reason,
      detail: JSON.parse(detail) as unknown,
    }));
  }

  it('A7: by a page, the refused invitation of a user who has a password is one event with what was stated', async () => {
    const user = story.person();
    await withAddress(story, user);
    const browser = await AdminBrowser.of(story, admin.person);

    const refusals = await refusalsOf(async () => {
      expect(await browser.act(user, 'invite', STATED)).toBeAnswered(409);
    });

    expect(refusals).toEqual([
      {
        user_id: await story.subjectOf(user),
        actor: await story.subjectOf(admin.person),
        reason: 'not to be invited',
        detail: { act: 'invite', ...STORED },
      },
    ]);
    await story.login(user);
  });

  it('A7: by a command, the refused invitation of a user who has a password is one event, and no link is printed', async () => {
    const user = story.person();

    const refusals = await refusalsOf(async () => {
      const ended = await story.command('users', 'invite', user.id, '--print-link', '--reason', STATED.reason);
      expect([ended.exitCode, ended.stdout]).toEqual([1, '']);
      expect(ended.stderr).toMatch(/ WARN .* events +: ADMIN_ACT_REFUSED/);
    });

    expect(refusals).toEqual([
      {
        user_id: await story.subjectOf(user),
        actor: `cli:${userInfo().username}`,
        reason: 'not to be invited',
        detail: { act: 'invite', stated_reason: STATED.reason },
      },
    ]);
    await story.login(user);
  });

  it('A7, A11: by a page, each act that the help desk may not perform is one event', async () => {
    const user = story.person();
    const browser = await AdminBrowser.of(story, desk.person);
    const path = await browser.userPath(user);

    const refusals = await refusalsOf(async () => {
      for (const [target, typed] of [
        [`${ADMINISTRATION}/new-user`, { id: 'x', access: 'temporary' }],
        [`${path}/invite`, STATED],
        [`${path}/password`, STATED],
        [`${path}/disable`, STATED],
      ] as const) {
        expect(await browser.send(target, typed), target).toBeAnswered(403);
      }
    });

    const actor = await story.subjectOf(desk.person);
    expect(refusals).toEqual(
      ['create', 'invite', 'resetPassword', 'disable'].map((act) => ({
        user_id: null,
        actor,
        reason: 'help desk',
        detail: { act },
      })),
    );
  });

  it('A7, A11: by the API, an import and a rotation of keys by the help desk are one event each', async () => {
    const { accessToken } = await story.signIn(desk.person);
    const before = await admin.accounts();

    const refusals = await refusalsOf(async () => {
      expect(await desk.import(csv('login_id', 'planted'), '', accessToken)).toBeRefused(403, 'ACCESS_DENIED');
      expect(await desk.send('POST', '/keys/rotate', STATED, accessToken)).toBeRefused(403, 'ACCESS_DENIED');
    });

    expect(refusals.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['help desk', { act: 'importUsers' }],
      ['help desk', { act: 'rotate' }],
    ]);
    expect(await admin.accounts()).toBe(before);
  });
});
