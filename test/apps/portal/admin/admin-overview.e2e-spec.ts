import { describe, expect, it } from 'vitest';
import { ADMINISTRATION, adminSceneOn, STATED } from '../../../support/pages/admin-pages.js';
import { openMailboxes } from '../../../support/mail/mailbox.js';
import { onAnyEngine } from '../../../support/database/story-database.js';

const MAILBOXES = await openMailboxes();

/** The values of a page by their labels. */
function factsIn(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g)];
  return new Map(found.map(([, label = '', value = '']) => [label, value.replace(/<[^>]*>/g, '')]));
}

onAnyEngine('the overview of administrators', (engine) => {
  const scene = adminSceneOn(engine, MAILBOXES[engine.name]);
  const { story } = scene;
  const shown = async (): Promise<ReadonlyMap<string, string>> =>
    factsIn((await scene.admin.visit(ADMINISTRATION)).text);

  describe('GET /portal/admin', () => {
    it('U10: the overview counts users, second factors, locks and invitations', async () => {
      const before = await shown();
      const [user, locked] = [await story.enrolled(), await story.enrolled()];
      await story.lock(locked);
      const { admin } = scene;
      const email = 'counted@harbour.example';
      await admin.send(`${ADMINISTRATION}/new-user`, { id: 'counted', email, roles: '', access: 'invite' });
      await admin.done(user, 'disable', STATED);

      const after = await shown();
      const rise = (label: string): number =>
        Number.parseInt(after.get(label) ?? '') - Number.parseInt(before.get(label) ?? '');

      expect(rise('All users')).toBe(1);
      expect(rise('Locked now')).toBe(1);
      expect(rise('Invited, not accepted')).toBe(1);
      expect(rise('Disabled')).toBe(1);
      expect(rise('Any second factor')).toBe(2);
      expect(rise('Authenticator app')).toBe(2);
      expect(rise('Passkey')).toBe(0);
      expect(rise('None')).toBe(-1);
    });

    it('U10: the overview counts completed and failed sign-ins of the last day, in a chart and in a table', async () => {
      const numbers = async (): Promise<readonly number[]> => {
        const { text } = await scene.admin.visit(ADMINISTRATION);
        const [, completed, failed] = /Last 24 hours: (\d+) completed, (\d+) failed/.exec(text) ?? [];
        const cells = [...text.matchAll(/<tr><td>\d\d:\d\d<td>(\d+)<td>(\d+)/g)];
        expect(cells).toHaveLength(24);
        expect(cells.reduce((sum, [, number]) => sum + Number(number), 0)).toBe(Number(completed));
        expect(text).toMatch(/<path class="good" d="M[^"]+"/);
        return [Number(completed), Number(failed)];
      };
      const [completed = 0, failed = 0] = await numbers();
      const person = story.person();
      await story.client().post('/login', { id: person.id, pw: person.password });
      await story.client().post('/login', { id: person.id, pw: 'not this one' });

      expect(await numbers()).toEqual([completed + 1, failed + 1]);
    });

    it('U10: the overview states the policy, and how many users have not set up what it demands', async () => {
      const { text } = await scene.admin.visit(ADMINISTRATION);

      expect(text).toContain(
        'Users with one of these roles need a second factor: ROLE_ADMIN, ROLE_MANAGEMENT, ROLE_HELPDESK.',
      );
      expect(text).toContain('All active users have what is needed.');
    });

    it('U10: administrators see instances, mails and deliveries; the help desk sees users and sign-ins only', async () => {
      await expect.poll(async () => (await shown()).get('Instance')).toMatch(/version \d+\.\d+\.\d+/);
      expect((await shown()).get('Mails')).toMatch(/^\d+ waits?$/);
      expect((await shown()).get('Webhook and logouts')).toBe('0 wait');

      const seen = factsIn((await scene.helpDesk.visit(ADMINISTRATION)).text);

      expect([...seen.keys()]).toContain('Locked now');
      expect([...seen.keys()]).not.toContain('Instance');
      expect([...seen.keys()]).not.toContain('Mails');
    });
  });
});
