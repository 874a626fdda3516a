import { LoginIdProperties } from '../../../src/identity/account/account.properties.js';
import { LoginIds } from '../../../src/identity/account/login-id.js';
import { AccountStore } from '../../../src/identity/account/account.store.js';
import { Accounts } from '../../../src/identity/account/accounts.service.js';
import { BrandingProperties } from '../../../src/platform/branding/branding.properties.js';
import { randomBytes } from 'node:crypto';
import { MfaProperties } from '../../../src/identity/second-factor/mfa.properties.js';
import { BackupCodeProperties } from '../../../src/identity/second-factor/backup-code/backup-code.properties.js';
import { BackupCodeStore } from '../../../src/identity/second-factor/backup-code/backup-code.store.js';
import { PepperUses } from '../../../src/identity/second-factor/backup-code/pepper-use.service.js';
import { withoutUndefined } from '../../../src/kernel/collections/without-undefined.js';
import { BackupCodes } from '../../../src/identity/second-factor/backup-code/backup-codes.service.js';
import { ShownCodesStore } from '../../../src/identity/second-factor/backup-code/shown-codes.store.js';
import type { Clock } from '../../../src/kernel/clock/clock.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { EventStore } from '../../../src/identity/events/event.store.js';
import { SecurityEvents } from '../../../src/identity/events/security-events.service.js';
import { Loggers } from '../../../src/observability/logging/loggers.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { AccessCodeStore } from '../../../src/identity/second-factor/access-code/access-code.store.js';
import { AccessCodes } from '../../../src/identity/second-factor/access-code/access-codes.service.js';
import { AttemptBudget } from '../../../src/identity/second-factor/attempts/attempt-budget.service.js';
import { BackupCodeFactor } from '../../../src/identity/second-factor/backup-code/backup-code-factor.service.js';
import { TotpFactor } from '../../../src/identity/second-factor/totp/totp-factor.service.js';
import { Authenticators } from '../../../src/identity/second-factor/enrolment/authenticators.service.js';
import { AuthenticatorRemoval } from '../../../src/identity/second-factor/enrolment/authenticator-removal.service.js';
import { EnrolledAuthenticators } from '../../../src/identity/second-factor/enrolment/enrolled-authenticators.service.js';
import { ObsoleteAuthenticators } from '../../../src/identity/second-factor/enrolment/obsolete-authenticators.service.js';
import { Enrolment } from '../../../src/identity/second-factor/enrolment/enrolment.service.js';
import { EnrolmentStore } from '../../../src/identity/second-factor/enrolment/enrolment.store.js';
import { AttemptMeters } from '../../../src/identity/second-factor/attempts/attempt-meters.js';
import { AuthenticatorListStore } from '../../../src/identity/second-factor/enrolment/authenticator-list.store.js';
import { PasskeyProperties } from '../../../src/identity/second-factor/passkey/passkey.properties.js';
import { PasskeyStore } from '../../../src/identity/second-factor/passkey/passkey.store.js';
import { PasskeyChallengeStore } from '../../../src/identity/second-factor/passkey/passkey-challenge.store.js';
import { AssertionVerifier } from '../../../src/identity/second-factor/passkey/assertion-verifier.service.js';
import { PasskeyUse } from '../../../src/identity/second-factor/passkey/passkey-use.service.js';
import { PasskeyAssertions } from '../../../src/identity/second-factor/passkey/passkey-assertions.service.js';
import { PasskeyFactor } from '../../../src/identity/second-factor/passkey/passkey-factor.service.js';
import { BrowserAddress } from '../../../src/identity/second-factor/passkey/passkey-site.js';
import { RelyingParty } from '../../../src/identity/second-factor/passkey/relying-party.service.js';
import { PendingSecrets } from '../../../src/identity/second-factor/enrolment/pending-secrets.service.js';
import { SecondFactorSetup } from '../../../src/identity/second-factor/enrolment/setup.service.js';
import { TrustedDeviceList } from '../../../src/identity/second-factor/trusted-device/trusted-device-list.service.js';
import { SecondFactorStore } from '../../../src/identity/second-factor/second-factor.store.js';
import { SecondFactors } from '../../../src/identity/second-factor/second-factors.service.js';
import type { Submitted, SubmittedCode } from '../../../src/identity/second-factor/second-factor.js';
import { submittedCode, submittedTotp } from '../../../src/identity/second-factor/submitted-code.js';
import { TotpSecretStore } from '../../../src/identity/second-factor/totp/totp-secret.store.js';
import { OtpauthIssuer } from '../../../src/identity/second-factor/totp/otpauth-issuer.service.js';
import { TotpSecrets } from '../../../src/identity/second-factor/totp/totp-secrets.service.js';
import { TrustedDeviceStore } from '../../../src/identity/second-factor/trusted-device/trusted-device.store.js';
import { TrustedDevices } from '../../../src/identity/second-factor/trusted-device/trusted-devices.service.js';
import type { Tx, UnitOfWork, Value } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { batchSizes } from '../database/batch-sizes.js';

const ACCOUNT = `INSERT INTO account (id, login_id, kind, status, roles, mfa_required, enrolment_forced, security_stamp,
  last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at)
  VALUES (?, ?, 'local', 'active', '', 0, 0, 0, -1, 0, 0, 0, 0, 0, 0)`;

const KEYS = new Map(['one', 'two'].map((id) => [id, randomBytes(32)]));

/** Settings that differ between processes. */
export interface PartsOptions {
  readonly properties?: Partial<MfaProperties>;
  readonly passkeys?: Partial<PasskeyProperties>;
  readonly pepper?: string;
  /** Further peppers by id. */
  readonly peppers?: Readonly<Record<string, string>>;
  readonly activePepperId?: string;
  readonly sealKey?: 'one' | 'two';
  readonly meters?: Meters;
  readonly loggers?: Loggers;
}

/** The services of the second factor, constructed on a real database. */
export interface SecondFactorParts {
  readonly secondFactors: SecondFactors;
  readonly budget: AttemptBudget;
  readonly setup: SecondFactorSetup;
  readonly pendingSecrets: PendingSecrets;
  readonly enrolment: Enrolment;
  readonly authenticators: EnrolledAuthenticators;
  readonly devices: TrustedDevices;
  readonly deviceList: TrustedDeviceList;
  readonly secrets: TotpSecrets;
  readonly backupCodes: BackupCodes;
  readonly pepperUses: PepperUses;
  readonly store: SecondFactorStore;
}

export function secondFactorParts(work: UnitOfWork, clock: Clock, options: PartsOptions = {}): SecondFactorParts {
  const random = new SystemRandom();
  const { meters = new Meters(), loggers = new Loggers() } = options;
  const properties = Object.assign(new MfaProperties(), options.properties);
  const { pepper, peppers = {}, activePepperId } = options;
  const peppered = Object.assign(
    new BackupCodeProperties(),
    withoutUndefined({ pepper, activePepperId, peppers: new Map(Object.entries(peppers)) }),
  );
  const events = new SecurityEvents(new EventStore(), clock, random, loggers, work);
  const sealer = new Sealer(options.sealKey ?? 'one', KEYS, random);
  const store = new SecondFactorStore(properties, random);
  const deviceStore = new TrustedDeviceStore(clock, random);
  const enrolmentStore = new EnrolmentStore();
  const counted = new AttemptMeters(meters, events);
  const budget = new AttemptBudget(work, clock, store, deviceStore, events);
  const issuer = new OtpauthIssuer(properties, new BrandingProperties());
  const secrets = new TotpSecrets(work, new TotpSecretStore(), sealer, random, issuer);
  const codeStore = new BackupCodeStore(batchSizes());
  const backupCodes = new BackupCodes(codeStore, random, peppered, new ShownCodesStore());
  const totp = new TotpFactor(clock, store, secrets);
  const codes = new BackupCodeFactor(store, backupCodes, events);
  const passkeyProperties = Object.assign(new PasskeyProperties(), options.passkeys);
  const relyingParty = new RelyingParty(
    passkeyProperties,
    new BrandingProperties(),
    new BrowserAddress('https://login.example.org'),
    loggers,
  );
  const challenges = new PasskeyChallengeStore(clock, random);
  const passkeys = new PasskeyStore();
  const verifier = new AssertionVerifier(relyingParty, loggers);
  const assertions = new PasskeyAssertions(work, passkeys, challenges, relyingParty, verifier);
  const accounts = new Accounts(new AccountStore(), work, new LoginIds(new LoginIdProperties()));
  const use = new PasskeyUse(store, passkeys, passkeyProperties, events, accounts);
  const passkey = new PasskeyFactor(assertions, passkeys, use);
  const factors = { passkey, totp, backup_code: codes };
  const secondFactors = new SecondFactors(factors, budget, work, counted, loggers);
  const accessCodes = new AccessCodes(new AccessCodeStore(), backupCodes, properties, events, clock);
  const list = new AuthenticatorListStore();
  const obsolete = new ObsoleteAuthenticators(enrolmentStore, factors, challenges, deviceStore);
  const authenticators = new Authenticators(enrolmentStore, factors, obsolete, clock, random);
  const removal = new AuthenticatorRemoval(enrolmentStore, list, obsolete, relyingParty, accessCodes);
  const pendingSecrets = new PendingSecrets(work, clock, enrolmentStore, secrets, budget);
  return {
    secondFactors,
    budget,
    setup: new SecondFactorSetup(work, authenticators, pendingSecrets, budget, events),
    pendingSecrets,
    enrolment: new Enrolment(work, secondFactors, authenticators, budget, events),
    authenticators: new EnrolledAuthenticators(work, list, removal, secondFactors, events),
    devices: new TrustedDevices(deviceStore, random, events, properties, loggers),
    deviceList: new TrustedDeviceList(work, deviceStore, events, properties),
    secrets,
    backupCodes,
    pepperUses: new PepperUses(codeStore, work, peppered),
    store,
  };
}

/** A code in the form in which a schema or a form passes it on. */
export function typedCode(code: string): SubmittedCode {
  return submittedCode(code) ?? failWith(code);
}

/** As `typedCode`, for the code of an authenticator app. */
export function typedTotp(code: string): Submitted<'totp'> {
  return submittedTotp(code) ?? failWith(code);
}

function failWith(code: string): never {
  throw new Error(`${code} does not have the form of a code`);
}

/** An account and the authenticator app of its user. */
export interface TestUser {
  readonly subject: string;
  readonly app: AuthenticatorApp;
  /** The valid backup codes, in plain text. */
  readonly backupCodes: readonly string[];
}

/** Creates an account without a second factor; returns its id. */
export async function newAccount(work: UnitOfWork): Promise<string> {
  const subject = randomBytes(12).toString('hex');
  await work.single((tx) => tx.insert(ACCOUNT, [subject, `${subject}@example.org`]));
  return subject;
}

/** Creates an account with a confirmed second factor and moves the clock to an unused step. */
export async function enrolledUser(
  work: UnitOfWork,
  parts: SecondFactorParts,
  clock: Clock & { advance(seconds: number): void },
): Promise<TestUser> {
  const subject = await newAccount(work);
  const requestedBy = 'sid:setup';
  const { otpauthUri, backupCodes = [] } = await parts.setup.begin({ subject, requestedBy });
  const app = AuthenticatorApp.scan(otpauthUri);
  const code = app.codeAt(clock.seconds());
  await parts.enrolment.confirm({ subject, requestedBy }, typedTotp(code), () => Promise.resolve());
  clock.advance(60);
  return { subject, app, backupCodes };
}

/** The row of an account. */
export async function accountRow(work: UnitOfWork, subject: string): Promise<Readonly<Record<string, Value>>> {
  const [row] = await work.single((tx) =>
    tx.rows<Record<string, Value>>('SELECT * FROM account WHERE id = ?', [subject]),
  );
  if (!row) throw new Error('no such account');
  return row;
}

/** Number of events by kind and reason since the second factor of the account was confirmed. */
export async function eventsOf(work: UnitOfWork, subject: string): Promise<Readonly<Record<string, number>>> {
  const sql = `SELECT kind, reason FROM security_event WHERE user_id = ? AND kind NOT IN ('MFA_SETUP', 'MFA_CONFIRMED')`;
  const rows = await work.single((tx) => tx.rows<{ kind: string; reason: string | null }>(sql, [subject]));
  const counts: Record<string, number> = {};
  for (const { kind, reason } of rows) {
    const name = reason === null ? kind : `${kind} ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** `ok`, or the code of a ServiceError; rethrows other errors. */
export function ending(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof ServiceError) return error.code;
      throw error;
    },
  );
}

/** Marks an mfa_token as used, as the caller of `prove` does. */
export async function markUsed(tx: Tx, jti: string): Promise<void> {
  const sql = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
  if (!(await tx.insert(sql, [jti, 2_000_000_000]))) throw new ServiceError('MFA_TOKEN_INVALID');
}

/** The same database with an action right before the first transaction, to simulate a race. */
export function interposed(work: UnitOfWork, happens: () => Promise<unknown>): UnitOfWork {
  let hasHappened = false;
  const run: UnitOfWork['run'] = async (inner) => {
    if (!hasHappened) {
      hasHappened = true;
      await happens();
    }
    return work.run(inner);
  };
  return Object.assign(Object.create(work) as UnitOfWork, { run });
}

/** Runs all calls at once and counts the outcomes. */
export async function endings(actions: readonly (() => Promise<unknown>)[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const end of await Promise.all(actions.map((action) => ending(action())))) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}
