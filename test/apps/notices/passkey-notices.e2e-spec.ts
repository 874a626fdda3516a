import { afterAll, describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/signin/messages/messages.js';
import type { NoticeKind } from '../../../src/apps/notices/notice.js';
import { ADMIN, Administrator, OTHERS } from '../../support/login/administrator.js';
import { type Members, textsOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { noticeTo, textsOfNotice, withAddress } from '../../support/mail/notices.js';
import { assert, PasskeyStory } from '../../support/passkey/passkey-story.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const ARGS = ['--app.mail.poll-interval=200ms', '--app.mail.retry.first-delay=100ms'];
const NEW_PASSWORD = 'eight quiet lanterns & 2 harbours';

const relay = await SmtpRelayServer.start();
afterAll(() => relay.stop());

describe.each(['en', 'ko'] as const)('notices in %s', (language) => {
  onAnyEngine('notices about authenticators', (engine) => {
    const args = [...relay.args, ...ARGS, `--app.messages.default-language=${language}`];
    const story = storyOn(engine, { args, people: 4, others: OTHERS });
    const passkeys = new PasskeyStory(story);
    const texts = messagesOf(language).notices;

    async function expectNotice(address: string, kind: NoticeKind): Promise<string> {
      const mail = await noticeTo(relay, address, kind, language);
      for (const body of [mail.text, mail.html]) expect(body).toContain(textsOfNotice(kind, language).text);
      expect(mail.text).toMatch(/\/portal\/not-me\?token=[\w-]{43}/);
      return mail.text;
    }

    const titlesTo = (address: string): readonly string[] =>
      relay.received.filter(({ to }) => to.includes(address)).map(({ subject }) => subject.replace(/^[^:]*: /, ''));

    it(
      'each act on an authenticator is told once, as is the end of the second factor',
      { timeout: 60_000 },
      async () => {
        const person = story.person();
        const address = await withAddress(story, person, `acts-${language}-${engine.name}@example.com`);
        const first = await story.signInByPassword(person);
        const authenticator = passkeys.authenticator();
        const registered = await passkeys.register(first.client, { bearer: first.accessToken }, authenticator);
        await expectNotice(address, 'passkey-on');

        const { client, accessToken: bearer } = await passkeys.signIn({ ...person, authenticator });
        await passkeys.register(client, { bearer }, passkeys.authenticator(), { name: 'Second key' });
        await expectNotice(address, 'passkey-added');
        await story.addApp({ client, accessToken: bearer });
        await expectNotice(address, 'app-added');

        const state = await client.get('/2fa', { bearer });
        const listed = state.body['authenticators'] as readonly Members[];
        const idOf = (wanted: (each: Members) => boolean): string => String(listed.find(wanted)?.['id']);
        const removed = async (id: string): Promise<void> => {
          expect(await client.send('DELETE', `/2fa/authenticators/${id}`, { bearer })).toBeAnswered(204);
        };
        await removed(idOf(({ type }) => type === 'totp'));
        await expectNotice(address, 'app-removed');
        await removed(idOf(({ name }) => name === 'Second key'));
        const own = await expectNotice(address, 'passkey-removed');
        expect(own).toContain(`${texts.address}: 127.0.0.1`);
        const [code = ''] = textsOf(registered, 'backup_codes');
        expect(await client.post('/2fa/disable', { code }, { bearer })).toBeAnswered(204);
        await expectNotice(address, 'mfa-off');

        // Relayed after the events of the removal.
        const { client: last, accessToken } = await story.signInByPassword(person);
        const change = { current: person.password, new: NEW_PASSWORD };
        expect(await last.post('/me/password', change, { bearer: accessToken })).toBeAnswered(204);
        await expectNotice(address, 'password-changed');
        const kinds: readonly NoticeKind[] = [
          ...([
            'passkey-on',
            'passkey-added',
            'app-added',
            'app-removed',
            'passkey-removed',
            'code-used',
            'mfa-off',
          ] as const),
          'password-changed',
        ];
        const other = textsOfNotice('new-device', language).title;
        // Notices about one transaction are sent in any order.
        expect(
          titlesTo(address)
            .filter((title) => title !== other)
            .toSorted(),
        ).toEqual(kinds.map((kind) => textsOfNotice(kind, language).title).toSorted());
      },
    );

    it('a passkey whose counter fell is told to its user as a possible copy', { timeout: 60_000 }, async () => {
      const holder = await passkeys.holder();
      const address = await withAddress(story, holder, `counter-${language}-${engine.name}@example.com`);
      await passkeys.signIn(holder);
      const client = story.client();
      const bearer = await story.mfaToken(holder, client);
      for (const credential of holder.authenticator.credentials) credential.counter = 0;
      const copied = await passkeys.assertion(client, { bearer }, holder.authenticator);

      expect(await assert(client, { bearer }, copied)).toBeRefused(401, 'MFA_CODE_INVALID');

      const told = await expectNotice(address, 'passkey-counter');
      expect(told).toContain(`${texts.address}: 127.0.0.1`);
    });

    it('the removal by an administrator is told without address and browser', { timeout: 60_000 }, async () => {
      const admin = await Administrator.of(story, ADMIN);
      const holder = await passkeys.holder();
      const { client, accessToken: bearer } = await passkeys.signIn(holder);
      await passkeys.register(client, { bearer }, passkeys.authenticator());
      const address = await withAddress(story, holder, `admin-${language}-${engine.name}@example.com`);

      const path = `/users/${await story.subjectOf(holder)}/authenticators/${holder.passkeyId}`;
      expect(await admin.send('DELETE', path, { reason: 'lost' })).toBeAnswered(204);

      const told = await expectNotice(address, 'passkey-removed');
      expect(told).toContain(`${texts.by}: ${texts.administrator}`);
      expect(told).not.toContain('127.0.0.1');
    });
  });
});
