import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { Acceptance, ChargedAttempt, PasskeyMatch, SecondFactor, Verdict } from '../second-factor.js';
import type { PasskeyState } from '../factor-state.js';
import type { StoredFactors } from '../factor-state.js';
import type { NamedAuthenticators } from '../factor-state.js';
import { amrOfPasskey, type NewPasskey } from './passkey.js';
import { PasskeyStore } from './passkey.store.js';
import { type AssertionRejection, PasskeyAssertions } from './passkey-assertions.service.js';
import { PasskeyUse } from './passkey-use.service.js';

const REJECTIONS: readonly AssertionRejection[] = ['challenge', 'unknown_passkey', 'wrong_passkey'];
const FALLEN_COUNTER = { kind: 'failed', event: 'PASSKEY_COUNTER', reason: 'passkey_counter' } as const;

/** Passkeys as a second factor (WebAuthn level 3). */
@Injectable()
export class PasskeyFactor implements SecondFactor<'passkey'> {
  readonly id = 'passkey';
  readonly failures = [...REJECTIONS, FALLEN_COUNTER.reason];

  constructor(
    private readonly assertions: PasskeyAssertions,
    private readonly passkeys: PasskeyStore,
    private readonly use: PasskeyUse,
  ) {}

  async verify({ caller, response }: ChargedAttempt<'passkey'>): Promise<Verdict<'passkey'>> {
    const match = await this.assertions.verify(caller.subject, response);
    return typeof match === 'string'
      ? { kind: 'failed', event: 'MFA_FAILED', reason: match }
      : { kind: 'acceptable', match };
  }

  async accept(tx: Tx, attempt: ChargedAttempt<'passkey'>, match: PasskeyMatch): Promise<Acceptance> {
    const { caller, state, chargedAt } = attempt;
    const { passkey } = match;
    const acceptance = await this.use.accept(tx, caller, state, match, chargedAt);
    if (acceptance === 'lost') return { kind: 'lost' };
    if (acceptance === 'fallen') return { ...FALLEN_COUNTER, detail: { authenticator: passkey.id } };
    return { kind: 'verified', response: { method: 'passkey', amr: amrOfPasskey(passkey), roles: state.roles } };
  }

  /** Stores a passkey; its own caller has to roll back if the credential is already registered. */
  async enrol(tx: Tx, passkey: NewPasskey): Promise<boolean> {
    return this.passkeys.insert(tx, passkey);
  }

  async discard(tx: Tx, subject: string, { passkeyCount }: NamedAuthenticators): Promise<void> {
    if (passkeyCount === 0) await this.passkeys.deleteAll(tx, subject);
  }

  state({ passkeySince }: StoredFactors): PasskeyState {
    return withoutUndefined({ since: passkeySince ?? undefined });
  }
}
