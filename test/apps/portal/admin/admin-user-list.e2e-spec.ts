import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../support/http/http-client.js';
import { ADMINISTRATION, adminSceneOn, loginIdsIn, STATED, USERS } from '../../../support/pages/admin-pages.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { unescaped } from '../../../support/pages/pages.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();
const DAY = 86_400;

onAnyEngine('the list of users', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;
  const list = (query: string): Promise<Answer> => scene.admin.visit(`${USERS}?${query}`);
  const found = async (query: string): Promise<readonly string[]> => loginIdsIn(await list(query));
  const linkIn = ({ text }: Answer, label: string): string =>
    unescaped(new RegExp(`href="/auth([^"]*)">${label}<`).exec(text)?.[1] ?? '');
  const totalIn = ({ text }: Answer): number => Number(/<p class="quiet">(\d+) users?</.exec(text)?.[1]);

  describe('GET /portal/admin/users', () => {
    it('U11: the list of users is limited to a state', async () => {
      const [user, locked, disabled] = [story.person(), await story.enrolled(), story.person()];
      await story.lock(locked);
      const { admin } = scene;
      await admin.done(disabled, 'disable', STATED);
      const email = 'listed@harbour.example';
      await admin.send(`${ADMINISTRATION}/new-user`, { id: 'listed', email, roles: '', access: 'invite' });

      expect(await found('state=locked')).toEqual([locked.id]);
      expect(await found('state=disabled')).toEqual([disabled.id]);
      expect(await found('state=invited')).toEqual(['listed']);
      expect(await found(`state=active&query=${user.id}`)).toContain(user.id);
      expect(await found(`state=no-factor&query=${user.id}`)).toContain(user.id);
      expect(await found(`state=no-factor&query=${locked.id}`)).not.toContain(locked.id);
      expect(await found(`state=active&query=${disabled.id}`)).not.toContain(disabled.id);
      expect(await found('state=unready')).toEqual([]);
      await admin.done(user, 'change', { ...STATED, email: '', name: '', groups: '', mfa_required: 'true' });
      expect(await found('state=unready')).toEqual([user.id]);
    });

    it('U11: the list of users is limited to a role, and to users without a sign-in for some days', async () => {
      const [user, absent] = [story.person(), await story.enrolled()];
      await scene.admin.done(user, 'roles', {
        ...STATED,
        roles: 'ROLE_CLERK ROLE_LISTED',
        new_roles: 'ROLE_CLERK, ROLE_LISTED',
      });

      expect(await found('role=ROLE_LISTED')).toEqual([user.id]);
      expect(await found('role=ROLE_LIST')).toEqual([]);
      expect(await found(`inactive=30&query=${user.id}`)).toContain(user.id);
      await story.signIn(absent);
      expect(await found(`inactive=30&query=${absent.id}`)).not.toContain(absent.id);
      const past = story.clock.seconds - 31 * DAY;
      await story.database.query(`UPDATE account SET last_sign_in_at = ${past} WHERE login_id = '${absent.id}'`);
      expect(await found(`inactive=30&query=${absent.id}`)).toContain(absent.id);
      expect(await found(`inactive=90&query=${absent.id}`)).not.toContain(absent.id);
    });

    it('U11: the list of users states their number, and leads to the next and the previous page', async () => {
      const first = await list('query=person-');
      const total = totalIn(first);
      expect(total).toBeGreaterThanOrEqual(60);
      expect(linkIn(first, 'Previous users')).toBe('');

      const pages = [loginIdsIn(first)];
      let page = first;
      for (let next = linkIn(page, 'Next users'); next !== ''; next = linkIn(page, 'Next users')) {
        page = await scene.admin.visit(next);
        expect(totalIn(page)).toBe(total);
        pages.push(loginIdsIn(page));
      }
      expect(new Set(pages.flat()).size).toBe(total);

      const back: (readonly string[])[] = [];
      for (let previous = linkIn(page, 'Previous users'); previous !== '';) {
        page = await scene.admin.visit(previous);
        back.unshift(loginIdsIn(page));
        previous = linkIn(page, 'Previous users');
      }
      expect(back.flat()).toEqual(pages.slice(0, -1).flat());
    });

    it('U11: page and API tell when an account was created and when its user last signed in', async () => {
      const user = story.person();
      const path = await scene.admin.userPath(user);
      const api = async (): Promise<unknown> => {
        const { body } = await scene.admin.client.get(`/admin/users?query=${user.id}`);
        return (body['items'] as readonly Record<string, unknown>[])[0];
      };
      expect(await api()).toMatchObject({ created: expect.stringMatching(/^\d{4}-/) as string, last_sign_in: null });
      expect((await scene.admin.visit(path)).text).toContain('<dt>Last sign-in</dt><dd>–</dd>');

      const at = new Date(story.clock.seconds * 1000).toISOString().slice(0, 19);
      await story.signInByPassword(user);

      expect(await api()).toMatchObject({ last_sign_in: at.replace('T', ' ') });
      expect((await scene.admin.visit(path)).text).toContain(`<dt>Last sign-in</dt><dd><time datetime="${at}`);
    });
  });
});
