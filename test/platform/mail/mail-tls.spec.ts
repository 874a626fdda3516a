import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import type { MailTls } from '../../../src/platform/mail/mail.properties.js';
import { makeCertificate } from '../../support/http/certificates.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type MailParts, mailParts } from '../../support/mail/mail-parts.js';
import { SmtpRelayServer } from '../../support/mail/smtp-server.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SUBJECT = '00000000-0000-7000-8000-000000000001';
const ADDRESS = 'anna@example.com';
const PASSWORD = 'relay-password';
const AUTHORITIES = getCACertificates('default');
const GOOD = makeCertificate();
const OTHER_NAME = makeCertificate({ names: 'DNS:relay.example.net' });

onEveryDatabase('Mail over TLS', (database) => {
  let opened: { readonly parts: MailParts; readonly relay: SmtpRelayServer } | undefined;

  afterEach(async () => {
    setDefaultCACertificates(AUTHORITIES);
    await opened?.parts.stop();
    await opened?.relay.stop();
    await database.dataSource.query('DELETE FROM mail_message');
  });

  async function open(tls: MailTls, certificate = GOOD): Promise<NonNullable<typeof opened>> {
    const relay = await SmtpRelayServer.start({ password: PASSWORD, certificate, isImplicit: tls === 'implicit' });
    const properties = { ...relay.address, username: 'login', password: PASSWORD, tls };
    const parts = mailParts(database.work, { properties });
    parts.templates.register('news', () =>
      Promise.resolve({ to: ADDRESS, language: 'en', subject: 'News', text: 'Text' }),
    );
    opened = { parts, relay };
    await database.work.run((tx) => parts.queue.add(tx, { template: 'news', subject: SUBJECT }));
    return opened;
  }

  const firstRow = async ({ backlog }: MailParts) => (await backlog.list({ limit: 1 }))[0];

  it.each(['starttls', 'implicit'] as const)('with %s, password and mail are sent encrypted', async (tls) => {
    setDefaultCACertificates([...AUTHORITIES, GOOD.pem]);
    const { parts, relay } = await open(tls);

    parts.start();

    expect(await relay.mailsTo(ADDRESS)).toMatchObject([{ isEncrypted: true, user: 'login' }]);
    expect(relay.passwords).toEqual([true]);
  });

  it.each(['starttls', 'implicit'] as const)(
    'with %s, a relay with an untrusted certificate gets no password, and the mail once the certificate is trusted',
    async (tls) => {
      const { parts, relay } = await open(tls);
      parts.start();
      const row = await waitUntil('an attempt has failed', async () => {
        const found = await firstRow(parts);
        return found?.last_error !== null && found;
      });
      expect(row).toMatchObject({ state: 'waiting' });
      expect([relay.passwords, relay.received]).toEqual([[], []]);

      setDefaultCACertificates([...AUTHORITIES, GOOD.pem]);

      expect(await relay.mailsTo(ADDRESS)).toMatchObject([{ isEncrypted: true }]);
      expect(relay.passwords).not.toContain(false);
    },
  );

  it.each(['starttls', 'implicit'] as const)(
    'with %s, a relay whose trusted certificate has another name gets neither password nor mail, and is tried again',
    async (tls) => {
      setDefaultCACertificates([...AUTHORITIES, OTHER_NAME.pem]);
      const { parts, relay } = await open(tls, OTHER_NAME);
      parts.start();

      await waitUntil('two attempts have failed', async () => ((await firstRow(parts))?.attempts ?? 0) >= 2);

      expect(await firstRow(parts)).toMatchObject({ state: 'waiting' });
      expect([relay.passwords, relay.received]).toEqual([[], []]);
    },
  );
});
