import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account } from '../../../src/identity/account/account.js';
import type { PasswordAttempt } from '../../../src/identity/account/password/password-verification.service.js';
import { PasswordAuthenticator } from '../../../src/signin/auth/login/password-authenticator.service.js';
import { MfaPolicy } from '../../../src/identity/second-factor/mfa-policy.service.js';
import { MfaProperties } from '../../../src/identity/second-factor/mfa.properties.js';
import { PasskeyProperties } from '../../../src/identity/second-factor/passkey/passkey.properties.js';
import { BrowserAddress } from '../../../src/identity/second-factor/passkey/passkey-site.js';
import { RelyingParty } from '../../../src/identity/second-factor/passkey/relying-party.service.js';
import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { type AccountParts, accountParts } from './account-parts.js';

const PASSWORD = 'kettle-orbit-seven';
const TEMPORARY = 'temporary-lantern-nine';
const CHOSEN = 'harbour-cobalt-eleven';

const NO_COOKIES = { device: undefined, trustedDevice: undefined };

const code = (expected: string): unknown => expect.objectContaining({ code: expected }) as unknown;

onEveryDatabase('password verification', (database) => {
  let parts: AccountParts;
  let proof: PasswordAuthenticator;

  beforeAll(() => {
    parts = accountParts(database.work);
    proof = proofWith(parts.verification);
  });
  afterAll(() => parts.hasher.close());

  function proofWith(verification: AccountParts['verification']): PasswordAuthenticator {
    const loggers = new Loggers();
    const events = new SecurityEvents(new EventStore(), parts.clock, new SystemRandom(), loggers, database.work);
    const passkeys = new PasskeyProperties();
    const site = new RelyingParty(passkeys, new BrandingProperties(), new BrowserAddress(undefined), loggers);
    const policy = new MfaPolicy(new MfaProperties(), site, passkeys, parts.clock);
    return new PasswordAuthenticator(verification, parts.passwordChanges, policy, events, loggers);
  }

  async function reset({ id }: Account): Promise<void> {
    const ready = await parts.passwordChanges.ready(id, TEMPORARY, 'new');
    await database.work.run((tx) => parts.passwordChanges.reset(tx, id, ready, 'cli:root'));
  }

  const create = (loginId: string): Promise<Account> => parts.creation.create({ loginId, password: PASSWORD }, 'cli');
  const refusals = (subject: string): Promise<readonly unknown[]> =>
    database.work.single((tx) =>
      tx.rows("SELECT reason FROM security_event WHERE user_id = ? AND kind = 'LOGIN_PASSWORD_FAILED' ORDER BY id", [
        subject,
      ]),
    );

  it('A4: a correct password with a rejected new_pw is recorded', async () => {
    const account = await create('anna');
    const { id } = account;

    await expect(proof.authenticate({ id: 'anna', pw: PASSWORD, newPw: CHOSEN }, NO_COOKIES)).rejects.toEqual(
      code('VALIDATION_FAILED'),
    );
    expect(await refusals(id)).toEqual([{ reason: 'change_unexpected' }]);
    await reset(account);
    for (const newPw of ['short', TEMPORARY]) {
      parts.clock.now += 1000;
      await expect(proof.authenticate({ id: 'anna', pw: TEMPORARY, newPw }, NO_COOKIES)).rejects.toEqual(
        code('VALIDATION_FAILED'),
      );
    }
    expect(await refusals(id)).toEqual([
      { reason: 'change_unexpected' },
      { reason: 'change_refused' },
      { reason: 'change_refused' },
    ]);
  });

  it('A4: an account deleted before its new password is stored gets INVALID_CREDENTIALS', async () => {
    const account = await create('bert');
    await reset(account);
    const deleting = Object.assign(Object.create(parts.verification) as AccountParts['verification'], {
      verify: async (attempt: PasswordAttempt) => {
        const verdict = await parts.verification.verify(attempt);
        await database.work.run((tx) => parts.changes.delete(tx, account.id, 'cli:root'));
        return verdict;
      },
    });

    const late = proofWith(deleting).authenticate({ id: 'bert', pw: TEMPORARY, newPw: CHOSEN }, NO_COOKIES);

    await expect(late).rejects.toEqual(code('INVALID_CREDENTIALS'));
  });
});
