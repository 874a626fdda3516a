import { expect, it } from 'vitest';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { LoginIdProperties } from '../../../src/identity/account/account.properties.js';
import { AccountStore } from '../../../src/identity/account/account.store.js';
import { Accounts } from '../../../src/identity/account/accounts.service.js';
import { LoginIds } from '../../../src/identity/account/login-id.js';
import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { JsonProperties } from '../../../src/platform/http/json/json.properties.js';
import type { ComposedMail, MailFacts } from '../../../src/platform/mail/mail-message.js';
import { MailComposer } from '../../../src/signin/messages/mail-composer.service.js';
import { MailTemplates } from '../../../src/platform/mail/mail-templates.service.js';
import { MessagesProperties } from '../../../src/signin/messages/messages.properties.js';
import { NoticeMails } from '../../../src/apps/notices/notice-mails.service.js';
import { type NoticeKind, templateOf } from '../../../src/apps/notices/notice.js';
import type { Tx, UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { AccountLinkStore, type NewLink } from '../../../src/signin/recovery/account-link.store.js';
import { accountLinks } from '../../support/login/account-links.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { accountParts } from '../../identity/account/account-parts.js';

const OLD = 'old@example.com';

/** Stores links, and notes the address that the account has at that moment. */
class ObservedLinks extends AccountLinkStore {
  readonly created: { readonly kind: string; readonly address: string | null | undefined }[] = [];

  override async put(tx: Tx, link: NewLink): Promise<number> {
    const [row] = await tx.rows<{ email: string | null }>('SELECT email FROM account WHERE id = ?', [link.subject]);
    this.created.push({ kind: link.kind, address: row?.email });
    return super.put(tx, link);
  }
}

/** A database in which the address of an account changes after each transaction, as an administrator may change it. */
function withMovingAddress(work: UnitOfWork, subject: string): UnitOfWork {
  let moves = 0;
  const move = async <T>(result: T): Promise<T> => {
    moves += 1;
    await work.run((tx) =>
      tx.change('UPDATE account SET email = ? WHERE id = ?', [`moved-${moves}@example.com`, subject]),
    );
    return result;
  };
  const moving: Pick<UnitOfWork, 'run' | 'single'> = {
    run: async (inner) => move(await work.run(inner)),
    single: async (inner) => move(await work.single(inner)),
  };
  return Object.assign(Object.create(work) as UnitOfWork, moving);
}

onEveryDatabase('notices with links', (database) => {
  let people = 0;

  async function composed(
    kind: NoticeKind,
    facts: MailFacts = {},
  ): Promise<{ readonly mail: ComposedMail | undefined; readonly created: ObservedLinks['created'] }> {
    const { clock, creation } = accountParts(database.work);
    const loginId = `eva-${(people += 1)}`;
    const { id: subject } = await creation.create({ loginId, password: 'nine wet lanterns', email: OLD }, 'cli:ops');
    const locked =
      'UPDATE account SET failures = 5, failures_in_row = 5, lock_level = 1, last_attempt_at = ? WHERE id = ?';
    await database.work.run((tx) => tx.change(locked, [clock.seconds(), subject]));
    const moving = withMovingAddress(database.work, subject);
    const accounts = new Accounts(new AccountStore(), moving, new LoginIds(new LoginIdProperties()));
    const [store, templates] = [new ObservedLinks(clock), new MailTemplates(new Loggers())];
    const composer = new MailComposer(new BrandingProperties(), new MessagesProperties(), new JsonProperties());
    new NoticeMails(accounts, accountLinks(moving, clock, store), clock, composer, templates);
    const queued = { id: 'm', subject, facts: { at: String(clock.now), ...facts }, createdAt: clock.now };
    const mail = await templates.find(templateOf(kind))?.(queued);
    return { mail, created: store.created };
  }

  it.each([
    ['password-changed', ['not-me']],
    ['locked', ['not-me', 'unlock']],
  ] as const)(
    'S9: the notice %s goes to the address that the account has when its links are created',
    async (kind, kinds) => {
      const { mail, created } = await composed(kind);

      expect(created.map((link) => link.kind).toSorted()).toEqual(kinds);
      expect(created.map(({ address }) => address)).toEqual(kinds.map(() => mail?.to));
      expect(mail?.to).toMatch(/^moved-\d@example\.com$/);
    },
  );

  it('S9: the notice about a changed address goes to the old address, with a link to report the change', async () => {
    const { mail, created } = await composed('address-changed', { to: OLD, by: 'administrator' });

    expect(mail?.to).toBe(OLD);
    expect(mail?.text).toContain('/portal/not-me?token=');
    expect(created.map(({ kind }) => kind)).toEqual(['not-me']);
  });
});
