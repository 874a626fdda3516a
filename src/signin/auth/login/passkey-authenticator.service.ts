import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { GuessThrottle } from '../../../identity/account/throttle/guess-throttle.service.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { AttemptBudget } from '../../../identity/second-factor/attempts/attempt-budget.service.js';
import { PasskeySignIn, type ProvenPasskey } from '../../../identity/second-factor/passkey/passkey-sign-in.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Reason } from '../../../kernel/errors/reason.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { setUser } from '../../../kernel/principal/request-context.js';

/** A passkey that signs in, and its account. */
export interface AuthenticatedPasskey {
  readonly account: Account;
  readonly passkey: ProvenPasskey;
}

/**
 * Verifies the assertion of a sign-in by passkey alone. A rejected one counts for its network and uses up its challenge; no
 * account is charged, and none is named in the event: everybody can send the id of a passkey.
 */
@Injectable()
export class PasskeyAuthenticator {
  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly throttle: GuessThrottle,
    private readonly accounts: Accounts,
    private readonly budget: AttemptBudget,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * @throws ServiceError `INVALID_CREDENTIALS`, whatever the reason; `RATE_LIMITED`; `MFA_LOCKED` after a valid assertion that would
   * complete the login, while the second factor of the account is locked
   */
  async authenticate(assertion: AuthenticationResponseJSON): Promise<AuthenticatedPasskey> {
    const passkey = await this.throttle.guard(
      { network: 'passkey' },
      () => this.passkeys.verify(assertion),
      (verdict) => typeof verdict !== 'string',
    );
    if (typeof passkey === 'string') throw await this.rejected(passkey);
    const { subject } = passkey;
    setUser(subject);
    const account = await this.accounts.find(subject);
    if (account?.status !== 'active') throw await this.rejected('disabled', subject);
    // The identity provider decides whether its users may sign in; here, a passkey is only their second factor.
    if (account.kind !== 'local') throw await this.rejected('staff', subject);
    if (passkey.isUserVerified) await this.budget.requireAllowed({ subject });
    return { account, passkey };
  }

  /** Records a rejection; `subject` is known only after a valid assertion. */
  async rejected(reason: Reason, subject?: string): Promise<ServiceError> {
    const event = { kind: 'LOGIN_PASSKEY_FAILED', result: 'refused', reason } as const;
    await this.events.recordAlone({ ...event, ...withoutUndefined({ subject }) });
    return new ServiceError('INVALID_CREDENTIALS', { reason });
  }

  /** Records that the signature counter of a passkey fell: it may have been copied. */
  async rejectedCounter({ subject, passkey: { id } }: ProvenPasskey): Promise<ServiceError> {
    const reason = 'passkey_counter';
    const detail = { authenticator: id };
    await this.events.recordAlone({ kind: 'PASSKEY_COUNTER', subject, result: 'refused', reason, detail });
    return new ServiceError('INVALID_CREDENTIALS', { reason });
  }
}
