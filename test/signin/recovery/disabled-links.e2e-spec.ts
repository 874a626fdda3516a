import { beforeAll, expect, it } from 'vitest';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { AdminBrowser } from '../../support/pages/admin-pages.js';
import type { Answer } from '../../support/http/http-client.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const CHOSEN = 'nine wet lanterns & 3 harbours';

type Status = 'disabled' | 'active';
type SetStatus = (person: Pick<Person, 'id'>, status: Status) => Promise<void>;

onAnyEngine('mailed links of a disabled account', (engine) => {
  const story = storyOn(engine, { people: 12, others: OTHERS, args: [`--app.security.public-url=${PUBLIC_URL}`] });
  const links = new StoryLinks(story);
  let admin: Administrator;
  let invited = 0;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  /** The ways to disable and enable an account. */
  const ways: Readonly<Record<string, () => Promise<SetStatus>>> = {
    'PATCH /admin/users/{sub}': async () => {
      const { accessToken } = await story.signIn(admin.person);
      return async (person, status) => {
        const path = `/users/${await story.subjectOf(person)}`;
        expect(await admin.send('PATCH', path, { status }, accessToken)).toBeAnswered(200);
      };
    },
    'the pages about the user': async () => {
      const browser = await AdminBrowser.of(story, admin.person);
      return async (person, status) => {
        const act = status === 'active' ? 'enable' : 'disable';
        expect(await browser.act(person, act, { reason: 'ticket 4711' })).toBeAnswered(303);
      };
    },
    'a command': () =>
      Promise.resolve(async ({ id }, status) => {
        const { exitCode, stderr } = await story.command('users', status === 'active' ? 'enable' : 'disable', id);
        expect(exitCode, stderr).toBe(0);
      }),
  };

  async function invitation(id: string): Promise<string> {
    const { exitCode, stdout, stderr } = await story.command('users', 'invite', id, '--print-link');
    expect(exitCode, stderr).toBe(0);
    return tokenIn(stdout);
  }

  /** A link of each kind, and the request that uses it. */
  const kinds = {
    'to choose a new password': {
      path: '/password/reset',
      more: { new: CHOSEN },
      of: async () => {
        const person = story.person();
        return { person, token: await links.token(person, 'password-reset') };
      },
    },
    'to end a lock': {
      path: '/unlock',
      more: {},
      of: async () => {
        const person = await story.enrolled();
        await story.lock(person);
        return { person, token: await links.token(person, 'unlock') };
      },
    },
    'of an invitation': {
      path: '/invitation',
      more: { new: CHOSEN },
      of: async () => {
        const id = `invited-${(invited += 1)}`;
        return { person: { id }, token: await invitation(id) };
      },
    },
    'to report an act of others': {
      path: '/account/not-me',
      more: {},
      of: async () => {
        const person = story.person();
        return { person, token: await links.token(person, 'not-me') };
      },
    },
  };

  function use({ path, more }: { path: string; more: object }, token: string): Promise<Answer> {
    return story.client().post(path, { token, ...more });
  }

  it.each(
    Object.entries(kinds).flatMap(([name, kind]) =>
      Object.entries(ways).map(([way, begin]) => ({ name, kind, way, begin })),
    ),
  )(
    'S9: a link $name is not valid again once its account was disabled and enabled by $way',
    async ({ kind, begin }) => {
      const setStatus = await begin();
      const { person, token } = await kind.of();

      await setStatus(person, 'disabled');
      await setStatus(person, 'active');

      expect(await use(kind, token)).toBeRefused(401, 'LINK_INVALID');
    },
  );

  it('S9: a user who was invited, disabled and enabled has no password until another invitation is accepted', async () => {
    const { person } = await kinds['of an invitation'].of();
    await story.command('users', 'disable', person.id);
    const whileDisabled = await story.command('users', 'invite', person.id, '--print-link');
    await story.command('users', 'enable', person.id);
    const shown = await story.command('users', 'show', person.id);

    const again = await invitation(person.id);

    expect(whileDisabled.exitCode).toBe(1);
    expect(shown.stdout).toMatch(/^password +none, invited at \S+Z, not accepted yet$/m);
    expect(await use(kinds['of an invitation'], again)).toBeAnswered(204);
    expect(await story.client().post('/login', { id: person.id, pw: CHOSEN })).toBeAnswered(200);
  });
});
