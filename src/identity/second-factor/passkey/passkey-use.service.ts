import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { AccountVersion } from '../../account/account.js';
import { Accounts } from '../../account/accounts.service.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { AttemptSubject, FactorState } from '../attempts/attempt.js';
import type { PasskeyMatch } from '../second-factor.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { PasskeyProperties } from './passkey.properties.js';
import { PasskeyStore } from './passkey.store.js';

/** `lost` if the account has changed; `fallen` if the counter of the passkey fell and that is rejected. */
export type PasskeyAcceptance = 'accepted' | 'lost' | 'fallen';

/** Stores the use of a passkey whose assertion is valid. */
@Injectable()
export class PasskeyUse {
  constructor(
    private readonly factors: SecondFactorStore,
    private readonly passkeys: PasskeyStore,
    private readonly properties: PasskeyProperties,
    private readonly events: SecurityEvents,
    private readonly accounts: Accounts,
  ) {}

  /** Accepts it as a second factor: also resets the failures of the account, whose row comes first, as for every other factor. */
  async accept(
    tx: Tx,
    caller: AttemptSubject,
    state: Pick<FactorState, 'securityStamp'>,
    match: PasskeyMatch,
    now: number,
  ): Promise<PasskeyAcceptance> {
    const [isAccepted, isRecorded] = await Promise.all([
      this.factors.acceptPasskey(tx, caller, state),
      this.record(tx, caller.subject, match, now),
    ]);
    if (!isAccepted) return 'lost';
    return isRecorded ? 'accepted' : 'fallen';
  }

  /** Accepts it as both factors of a sign-in, whose time it records. */
  async acceptAlone(
    tx: Tx,
    { id: subject, securityStamp }: AccountVersion,
    match: PasskeyMatch,
    now: number,
  ): Promise<PasskeyAcceptance> {
    const acceptance = await this.accept(tx, { subject }, { securityStamp }, match, now);
    if (acceptance === 'accepted') await this.accounts.recordSignIn(tx, subject, now);
    return acceptance;
  }

  /** Moves the counter; false if it fell and that is rejected: the passkey may have been copied. */
  async record(
    tx: Tx,
    subject: string,
    { passkey: { id }, signCount, isBackedUp }: PasskeyMatch,
    now: number,
  ): Promise<boolean> {
    if (await this.passkeys.recordUse(tx, id, { signCount, isBackedUp, now })) return true;
    if (this.properties.rejectCounter) return false;
    if (!(await this.passkeys.recordFallen(tx, id, { signCount, now }))) return false;
    await this.events.record(tx, { kind: 'PASSKEY_COUNTER', subject, detail: { authenticator: id } });
    return true;
  }
}
