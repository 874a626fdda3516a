import { afterEach, expect, it } from 'vitest';
import type { MailTls } from '../../../src/platform/mail/mail.properties.js';
import { keyStore, type MadeCertificate, makeCertificate } from '../../support/http/certificates.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type MailParts, mailParts } from '../../support/mail/mail-parts.js';
import { needs } from '../../support/runner/needs.js';
import { SmtpRelayServer, type SmtpRelayOptions } from '../../support/mail/smtp-server.js';
import { BundleFiles } from '../../support/http/tls-bundle.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SUBJECT = '00000000-0000-7000-8000-000000000001';
const ADDRESS = 'anna@example.com';
const PASSWORD = 'relay-password';
const RELOADED = 'INFO Reloaded a certificate bundle for new connections';
const REFUSED = 'WARN The changed files of a certificate bundle cannot be used; the old ones stay in use';
const AUTHORITY = makeCertificate({ name: 'authority' });
const STRANGER = makeCertificate({ name: 'stranger' });

onEveryDatabase('Mail with a certificate bundle', (database) => {
  const endings: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
    await database.dataSource.query('DELETE FROM mail_message');
  });

  async function relayOf(certificate: MadeCertificate, options: SmtpRelayOptions = {}): Promise<SmtpRelayServer> {
    const relay = await SmtpRelayServer.start({ password: PASSWORD, certificate, ...options });
    endings.push(() => relay.stop());
    return relay;
  }

  function sending(relay: SmtpRelayServer, bundle: readonly string[], tls?: MailTls): MailParts {
    const properties = {
      ...relay.address,
      username: 'login',
      password: PASSWORD,
      sslBundle: 'partner',
      ...(tls && { tls }),
    };
    const parts = mailParts(database.work, { properties, bundle });
    parts.templates.register('news', () =>
      Promise.resolve({ to: ADDRESS, language: 'en', subject: 'News', text: 'Text' }),
    );
    endings.push(() => parts.stop());
    parts.start();
    return parts;
  }

  const mail = ({ queue }: MailParts): Promise<unknown> =>
    database.work.run((tx) => queue.add(tx, { template: 'news', subject: SUBJECT }));

  it.each(['starttls', 'implicit'] as const)('with %s, a relay of the trusted authority gets the mail', async (tls) => {
    const relay = await relayOf(makeCertificate({ signedBy: AUTHORITY }), { isImplicit: tls === 'implicit' });
    const parts = sending(relay, new BundleFiles(AUTHORITY).args, tls);

    await mail(parts);

    expect(await relay.mailsTo(ADDRESS)).toMatchObject([{ isEncrypted: true, user: 'login' }]);
  });

  needs('openssl')('a trust store', () => {
    it('a PKCS12 trust store is used like a PEM file', async () => {
      const relay = await relayOf(makeCertificate({ signedBy: AUTHORITY }));
      const bundle = '--app.ssl.bundle.jks.partner.truststore';
      const store = keyStore(AUTHORITY, 'changeit', ['-nokeys']);
      const parts = sending(relay, [`${bundle}.location=${store}`, `${bundle}.password=changeit`]);

      await mail(parts);

      expect(await relay.mailsTo(ADDRESS)).toMatchObject([{ isEncrypted: true }]);
    });
  });

  it('A11: a relay of another authority gets neither the password nor the mail', async () => {
    const relay = await relayOf(makeCertificate({ signedBy: STRANGER }));
    const parts = sending(relay, new BundleFiles(AUTHORITY).args);

    await mail(parts);
    await waitUntil('an attempt has failed', async () => (await parts.backlog.list({ limit: 1 }))[0]?.last_error);

    expect([relay.passwords, relay.received]).toEqual([[], []]);
  });

  it('a relay that requires a certificate gets that of the bundle', async () => {
    const relay = await relayOf(makeCertificate({ signedBy: AUTHORITY }), { clients: AUTHORITY });
    const files = new BundleFiles(AUTHORITY).identify(makeCertificate({ name: 'login', signedBy: AUTHORITY }));
    const parts = sending(relay, files.args);

    await mail(parts);

    expect(await relay.mailsTo(ADDRESS)).toMatchObject([{ isEncrypted: true }]);
    expect(relay.clients).toEqual(['login']);
  });

  it('new authorities are used without a restart, and invalid new files leave the old ones in use', async () => {
    const relay = await relayOf(makeCertificate({ signedBy: AUTHORITY }));
    const files = new BundleFiles(STRANGER);
    const parts = sending(relay, files.args);
    await mail(parts);
    await waitUntil('an attempt has failed', async () => (await parts.backlog.list({ limit: 1 }))[0]?.last_error);

    files.trust(AUTHORITY);
    await relay.mailsTo(ADDRESS);
    files.damage();
    await waitUntil('the change is refused', () => parts.log.messages.includes(REFUSED));
    await mail(parts);

    expect(await relay.mailsTo(ADDRESS, 2)).toHaveLength(2);
    expect(parts.log.messages.filter((message) => [RELOADED, REFUSED].includes(message))).toEqual([RELOADED, REFUSED]);
  });

  it('a bundle that could not be read for a check of health is read again at the next', async () => {
    const relay = await relayOf(makeCertificate({ signedBy: AUTHORITY }), { isImplicit: true });
    const files = new BundleFiles(AUTHORITY);
    files.damage();
    const parts = sending(relay, files.args, 'implicit');
    await expect(parts.relay.tlsOptions()).rejects.toThrow();

    files.trust(AUTHORITY);

    expect(await parts.relay.tlsOptions()).toHaveProperty('secureContext');
  });
});
