import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { configurationOf } from '../../../test/support/http/tls-bundle.js';
import type { Account } from '../account/account.js';
import { BrandingProperties } from '../../platform/branding/branding.properties.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { MfaPolicy } from './mfa-policy.service.js';
import { MfaProperties } from './mfa.properties.js';
import { BrowserAddress } from './passkey/passkey-site.js';
import { PasskeyProperties } from './passkey/passkey.properties.js';
import { RelyingParty } from './passkey/relying-party.service.js';

const STRENGTH = '--app.security.mfa.required-strength';
const STRONG = `${STRENGTH}=phishing-resistant`;
const FROM = 1_800_000_000;
const FROM_DATE = `${STRENGTH}-from=${new Date(FROM * 1000).toISOString()}`;
const DISABLED = '--app.security.mfa.passkey.enabled=false';

function policyOf(args: readonly string[], now = FROM, url = 'https://login.test'): MfaPolicy {
  const configuration = configurationOf(args);
  const [passkeys, branding] = [configuration.get(PasskeyProperties), configuration.get(BrandingProperties)];
  const relyingParty = new RelyingParty(passkeys, branding, new BrowserAddress(url), new Loggers());
  return new MfaPolicy(configuration.get(MfaProperties), relyingParty, passkeys, new ManualClock(now));
}

function accountWith(totpCount: number, passkeyCount: number, facts: Partial<Account> = {}): Account {
  return {
    ...{
      id: 'a',
      loginId: 'anna',
      kind: 'local',
      status: 'active',
      roles: [],
      securityStamp: 0,
      passwordVersion: 0,
      emailVersion: 0,
      emailVerified: false,
      groups: [],
      createdAt: 1_800_000_000,
    },
    ...{ mfaRequired: false, enrolmentForced: false, hasPassword: true, totpCount, passkeyCount, ...facts },
  };
}

describe('what policy demands of an account', () => {
  it.each<[string, readonly string[], Account, string, readonly string[]]>([
    ['no factor', [], accountWith(0, 0), 'none', []],
    ['no factor, and needs one', [], accountWith(0, 0, { mfaRequired: true }), 'enrol', []],
    ['an app', [], accountWith(1, 0), 'verify', ['totp', 'backup_code']],
    ['a passkey', [], accountWith(0, 2), 'verify', ['passkey', 'backup_code']],
    ['both', [], accountWith(1, 1), 'verify', ['passkey', 'totp', 'backup_code']],
    ['a passkey that is disabled', [DISABLED], accountWith(0, 1), 'verify', ['backup_code']],
    ['both, while passkeys are disabled', [DISABLED], accountWith(1, 1), 'verify', ['totp', 'backup_code']],
    ['no factor, and needs a passkey', [STRONG], accountWith(0, 0), 'enrol', []],
    ['an app, and needs a passkey', [STRONG], accountWith(1, 0), 'enrol', []],
    ['both, and needs a passkey', [STRONG], accountWith(1, 1), 'verify', ['passkey']],
    [
      'an app, and has another role',
      [STRONG, `${STRENGTH}-roles=ROLE_X`],
      accountWith(1, 0),
      'verify',
      ['totp', 'backup_code'],
    ],
    [
      'an app, and has the role',
      [STRONG, `${STRENGTH}-roles=ROLE_X`],
      accountWith(1, 0, { roles: ['ROLE_X'] }),
      'enrol',
      [],
    ],
  ])('policy decides the next step and the methods of an account that has %s', (_, args, account, next, methods) => {
    const policy = policyOf(args);

    expect(policy.nextStep(account)).toBe(next);
    expect(policy.methods(account)).toEqual(methods);
  });

  it('the strength is demanded from the first second of its date', () => {
    const [before, then] = [policyOf([STRONG, FROM_DATE], FROM - 1), policyOf([STRONG, FROM_DATE])];
    const account = accountWith(1, 0);

    expect([before.demandsPasskey(account), before.demands(account), before.lacksFactor(account)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(before.demandedFrom(account)).toBe(FROM);
    expect([then.demandsPasskey(account), then.demands(account), then.lacksFactor(account)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(then.demandedFrom(account)).toBeUndefined();
    expect(before.mayDemandPasskey).toBe(true);
    expect(policyOf([]).mayDemandPasskey).toBe(false);
  });

  it.each<[string, readonly string[], string, readonly string[], readonly string[]]>([
    ['by default', [], 'https://login.test', ['passkey', 'totp'], ['passkey', 'totp']],
    ['where a passkey is demanded', [STRONG], 'https://login.test', ['passkey'], ['passkey', 'totp']],
    ['while passkeys are disabled', [DISABLED], 'https://login.test', ['totp'], ['totp']],
    ['at an IP address', [], 'https://192.0.2.7', ['totp'], ['totp']],
  ])('policy offers for enrolment what can be used %s', (_, args, url, forLogin, later) => {
    const policy = policyOf(args, FROM, url);
    const account = accountWith(0, 0);

    expect(policy.enrolmentMethods(account, { forLogin: true })).toEqual(forLogin);
    expect(policy.enrolmentMethods(account, { forLogin: false })).toEqual(later);
  });
});
