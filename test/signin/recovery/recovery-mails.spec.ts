import { expect, it } from 'vitest';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import type { Account } from '../../../src/identity/account/account.js';
import { AccountStore } from '../../../src/identity/account/account.store.js';
import { Accounts } from '../../../src/identity/account/accounts.service.js';
import { LoginIdProperties } from '../../../src/identity/account/account.properties.js';
import { LoginIds } from '../../../src/identity/account/login-id.js';
import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { JsonProperties } from '../../../src/platform/http/json/json.properties.js';
import { MailComposer } from '../../../src/signin/messages/mail-composer.service.js';
import { MailTemplates } from '../../../src/platform/mail/mail-templates.service.js';
import { MessagesProperties } from '../../../src/signin/messages/messages.properties.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { ADDRESS_VERSION, RecoveryMails, TEMPLATES } from '../../../src/signin/recovery/recovery-mails.service.js';
import { accountLinks } from '../../support/login/account-links.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { accountParts } from '../../identity/account/account-parts.js';

/** Accounts whose mail address changes after each was read, as an administrator may change it at any moment. */
class MovingAccounts extends Accounts {
  constructor(private readonly database: UnitOfWork) {
    super(new AccountStore(), database, new LoginIds(new LoginIdProperties()));
  }

  override async find(subject: string): Promise<Account | undefined> {
    const account = await super.find(subject);
    await this.database.run((tx) => tx.change("UPDATE account SET email = 'new@example.com' WHERE id = ?", [subject]));
    return account;
  }
}

onEveryDatabase('mails with links', (database) => {
  it('S9: a link is mailed to no address but the one that it is valid for', async () => {
    const { clock, creation } = accountParts(database.work);
    const draft = { loginId: 'eva', password: 'nine wet lanterns', roles: [], email: 'old@example.com' };
    const { id: subject } = await creation.create(draft, 'cli:ops');
    const [links, templates] = [accountLinks(database.work, clock), new MailTemplates(new Loggers())];
    const composer = new MailComposer(new BrandingProperties(), new MessagesProperties(), new JsonProperties());
    new RecoveryMails(new MovingAccounts(database.work), links, composer, templates);

    const mail = await templates.find(TEMPLATES.reset)?.({ id: 'm', subject, facts: {}, createdAt: clock.now });

    expect(mail?.to).toBe('new@example.com');
  });

  it('X5: the link after a report is mailed to no address that was set since', async () => {
    const { accounts, clock, creation, changes } = accountParts(database.work);
    const draft = { loginId: 'ada', password: 'nine wet lanterns', roles: [], email: 'old@example.com' };
    const { id: subject } = await creation.create(draft, 'cli:ops');
    const [links, templates] = [accountLinks(database.work, clock), new MailTemplates(new Loggers())];
    const composer = new MailComposer(new BrandingProperties(), new MessagesProperties(), new JsonProperties());
    new RecoveryMails(accounts, links, composer, templates);
    const { emailVersion } = (await accounts.find(subject)) ?? { emailVersion: NaN };
    const mail = { id: 'm', subject, facts: { [ADDRESS_VERSION]: String(emailVersion) }, createdAt: clock.now };
    const compose = templates.find(TEMPLATES.resetAfterReport);
    expect((await compose?.(mail))?.to).toBe('old@example.com');

    await database.work.run((tx) => changes.change(tx, subject, { email: 'new@example.com' }, 'cli:ops'));

    expect(await compose?.(mail)).toBeUndefined();
  });
});
