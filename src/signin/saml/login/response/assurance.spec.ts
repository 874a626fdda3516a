import { describe, expect, it } from 'vitest';
import { ACR_MFA, type Amr, hasOtp, PWD, PWD_OTP } from '../../../../kernel/principal/amr.js';
import { type Assurance, type AssuranceFacts, assuranceOf, ON_MISSING_MFA } from './assurance.js';
import { amrOfContext, requiresOtp, requestedContext, satisfies } from './authn-context.js';
import { IdpProperties } from '../../saml.properties.js';

const BOTH = [true, false];
const OTP: Amr = ['otp'];

/** Every combination, including some that cannot occur. */
const ALL: readonly AssuranceFacts[] = [PWD, OTP, PWD_OTP].flatMap((amr) =>
  BOTH.flatMap((isSatisfied) =>
    BOTH.flatMap((isOtpRequired) =>
      BOTH.flatMap((isAcrRequested) =>
        BOTH.flatMap((isMfaRequired) =>
          ON_MISSING_MFA.flatMap((onMissingMfa) =>
            BOTH.map((reportOnly) => ({
              amr,
              isSatisfied,
              isOtpRequired,
              isAcrRequested,
              isMfaRequired,
              isPasskeyRequired: false,
              onMissingMfa,
              reportOnly,
            })),
          ),
        ),
      ),
    ),
  ),
);

const isProven = (facts: AssuranceFacts): boolean => facts.isSatisfied && hasOtp(facts.amr);
const isFull = (facts: AssuranceFacts): boolean => assuranceOf(facts).kind === 'full';
const kindOf = (facts: AssuranceFacts): string => assuranceOf(facts).kind;

function outcome(facts: AssuranceFacts): string {
  const assurance: Assurance = assuranceOf(facts);
  if (assurance.kind === 'refused') return assurance.rejection;
  const worth = assurance.kind === 'full' ? assurance.amr.join('+') : 'code-here';
  return assurance.wouldDeny ? `${worth},noted` : worth;
}

/** `*` is any value; `otp?` is `isOtpRequired`, `acr?` is `isAcrRequested`, `demanded` is `isMfaRequired`. */
const TABLE = `
  satisfied amr          otp? acr? demanded mode          report-only : outcome
  yes       otp          *    *    *        *             *           : otp
  yes       pwd+otp      *    *    *        *             *           : pwd+otp
  no        *            no   *    *        *             *           : authn_context
  no        otp          yes  *    *        *             *           : authn_context

  yes       pwd          *    *    *        deny          no          : mfa_missing
  yes       pwd          *    *    yes      deny          yes         : code-here,noted
  yes       pwd          yes  yes  no       deny          yes         : code-here,noted
  yes       pwd          yes  no   no       deny          yes         : pwd,noted
  yes       pwd          no   *    no       deny          yes         : pwd,noted
  yes       pwd          *    *    *        local-totp    no          : code-here
  yes       pwd          *    *    *        local-totp    yes         : code-here,noted
  yes       pwd          *    *    yes      accept-as-pwd no          : code-here
  yes       pwd          *    *    yes      accept-as-pwd yes         : code-here,noted
  yes       pwd          yes  yes  no       accept-as-pwd no          : code-here
  yes       pwd          yes  yes  no       accept-as-pwd yes         : code-here,noted
  yes       pwd          yes  no   no       accept-as-pwd no          : pwd
  yes       pwd          yes  no   no       accept-as-pwd yes         : pwd,noted
  yes       pwd          no   *    no       accept-as-pwd no          : pwd
  yes       pwd          no   *    no       accept-as-pwd yes         : pwd,noted

  no        pwd|pwd+otp  yes  *    *        deny          no          : mfa_missing
  no        pwd|pwd+otp  yes  *    yes      deny          yes         : code-here,noted
  no        pwd|pwd+otp  yes  yes  no       deny          yes         : code-here,noted
  no        pwd|pwd+otp  yes  no   no       deny          yes         : pwd,noted
  no        pwd|pwd+otp  yes  *    *        local-totp    no          : code-here
  no        pwd|pwd+otp  yes  *    *        local-totp    yes         : code-here,noted
  no        pwd|pwd+otp  yes  *    yes      accept-as-pwd no          : code-here
  no        pwd|pwd+otp  yes  *    yes      accept-as-pwd yes         : code-here,noted
  no        pwd|pwd+otp  yes  yes  no       accept-as-pwd no          : code-here
  no        pwd|pwd+otp  yes  yes  no       accept-as-pwd yes         : code-here,noted
  no        pwd|pwd+otp  yes  no   no       accept-as-pwd no          : pwd
  no        pwd|pwd+otp  yes  no   no       accept-as-pwd yes         : pwd,noted
`;

const ROWS = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/[\s:]+/))
  .filter((cells) => cells.length > 1);

function outcomesInTable(facts: AssuranceFacts): readonly (string | undefined)[] {
  const word = (claim: boolean): string => (claim ? 'yes' : 'no');
  const cells = [
    word(facts.isSatisfied),
    facts.amr.join('+'),
    word(facts.isOtpRequired),
    word(facts.isAcrRequested),
    word(facts.isMfaRequired),
    facts.onMissingMfa,
    word(facts.reportOnly),
  ];
  return ROWS.filter((row) => cells.every((cell, at) => row[at] === '*' || row[at]?.split('|').includes(cell))).map(
    (row) => row[cells.length],
  );
}

describe('assuranceOf', () => {
  it('X15: decides every combination as the table states', () => {
    const wrong = ALL.filter((facts) => String(outcomesInTable(facts)) !== outcome(facts));

    expect(wrong).toEqual([]);
    expect(ALL).toHaveLength(3 * 2 ** 4 * 3 * 2);
  });

  it('X14: requires a passkey of this service where policy does, since no identity provider states one', () => {
    const demanding = ALL.map((facts) => ({ ...facts, isMfaRequired: true, isPasskeyRequired: true }));

    expect(demanding.filter(isProven).map(kindOf)).toEqual(demanding.filter(isProven).map(() => 'local'));
    expect(demanding.filter((facts) => !isProven(facts)).map(outcome)).toEqual(
      demanding.filter((facts) => !isProven(facts)).map((facts) => outcome({ ...facts, isPasskeyRequired: false })),
    );
  });

  it('X14: yields otp exactly if the response proves it and satisfies the request', () => {
    const wrong = ALL.filter((facts) => {
      const assurance = assuranceOf(facts);
      return (assurance.kind === 'full' && hasOtp(assurance.amr)) !== isProven(facts);
    });

    expect(wrong).toEqual([]);
  });

  it('X14: yields at least one method, and only proven ones', () => {
    const wrong = ALL.filter((facts) => {
      const assurance = assuranceOf(facts);
      if (assurance.kind !== 'full') return false;
      return assurance.amr.length === 0 || !assurance.amr.every((method) => facts.amr.includes(method));
    });

    expect(wrong).toEqual([]);
  });

  it('X15: opens no full session without otp if policy requires a second factor', () => {
    expect(ALL.filter((facts) => facts.isMfaRequired && !isProven(facts) && isFull(facts))).toEqual([]);
  });

  it('X15: yields no more if policy requires a second factor', () => {
    const order = ['refused', 'local', 'full'];
    const wrong = ALL.filter(
      (facts) =>
        order.indexOf(kindOf({ ...facts, isMfaRequired: true })) >
        order.indexOf(kindOf({ ...facts, isMfaRequired: false })),
    );

    expect(wrong).toEqual([]);
  });

  it('X15: deny rejects every login without otp', () => {
    const denying = ALL.filter((facts) => facts.onMissingMfa === 'deny' && !facts.reportOnly && !isProven(facts));

    expect(denying.filter((facts) => kindOf(facts) !== 'refused')).toEqual([]);
  });

  it('X15: local-totp opens no full session without otp', () => {
    const local = ALL.filter((facts) => facts.onMissingMfa === 'local-totp' && !isProven(facts));

    expect(local.filter(isFull)).toEqual([]);
  });

  it('X15: opens no full session without otp if the acr requires otp', () => {
    const stepUps = ALL.filter((facts) => facts.isAcrRequested && facts.isOtpRequired && !isProven(facts));

    expect(stepUps.filter(isFull)).toEqual([]);
  });

  it('X14: rejects a login that does not satisfy a request without otp', () => {
    const unsatisfied = ALL.filter((facts) => !facts.isSatisfied && !facts.isOtpRequired);

    expect(new Set(unsatisfied.map(outcome))).toEqual(new Set(['authn_context']));
  });
});

describe('report-only', () => {
  it('marks exactly the logins that deny would reject, in every mode', () => {
    const noted = ALL.filter((facts) => facts.reportOnly);
    const wrong = noted.filter((facts) => {
      const isDenied = outcome({ ...facts, onMissingMfa: 'deny', reportOnly: false }) === 'mfa_missing';
      return outcome(facts).endsWith(',noted') !== isDenied;
    });

    expect(wrong).toEqual([]);
  });

  it('X15: makes deny act as accept-as-pwd, and changes no other mode', () => {
    const wrong = ALL.filter((facts) => {
      const onMissingMfa = facts.onMissingMfa === 'deny' ? 'accept-as-pwd' : facts.onMissingMfa;
      const noted = outcome({ ...facts, reportOnly: true }).replace(',noted', '');
      return noted !== outcome({ ...facts, onMissingMfa, reportOnly: false });
    });

    expect(wrong).toEqual([]);
  });

  it('marks no login if it is off', () => {
    expect(ALL.filter((facts) => !facts.reportOnly && outcome(facts).endsWith(',noted'))).toEqual([]);
  });
});

describe('the outcome of a login', () => {
  const PASSWORD = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
  const UNSPECIFIED = 'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified';
  const REFEDS_MFA = 'https://refeds.org/profile/mfa';
  const MICROSOFT_MFA = 'http://schemas.microsoft.com/claims/multipleauthn';

  interface Login {
    readonly keys?: Partial<IdpProperties>;
    readonly acr?: string;
    readonly returned: string;
    readonly attributeValues?: readonly string[];
    readonly isMfaRequired?: boolean;
  }

  function outcomeOf({ keys, acr, returned, attributeValues = [], isMfaRequired = false }: Login): string {
    const rules = Object.assign(new IdpProperties(), keys);
    const requested = requestedContext(rules, acr);
    if (requested === 'not_offered') return requested;
    const stated = { classRef: returned, attributeValues };
    return outcome({
      amr: amrOfContext(stated, rules),
      isSatisfied: satisfies(stated, requested, rules),
      isOtpRequired: requiresOtp(requested, rules),
      isAcrRequested: acr !== undefined,
      isMfaRequired,
      isPasskeyRequired: false,
      onMissingMfa: rules.onMissingMfa,
      reportOnly: rules.reportOnly,
    });
  }

  const refeds: Partial<IdpProperties> = { authnContextPresets: ['refeds'], authnContextRequest: [REFEDS_MFA] };
  const microsoft: Partial<IdpProperties> = { authnContextPresets: ['oasis', 'microsoft'] };
  const stepUp: Partial<IdpProperties> = { authnContextPresets: ['refeds'], authnContextStepUp: [REFEDS_MFA] };

  it.each<Login & { readonly called: string; readonly result: string }>([
    { called: 'a password with the default keys', returned: PASSWORD, result: 'pwd' },
    {
      called: 'a password with the default keys, if policy requires a second factor',
      returned: PASSWORD,
      isMfaRequired: true,
      result: 'code-here',
    },
    { called: 'an unknown class', returned: UNSPECIFIED, result: 'pwd' },
    { called: 'an acr of this service as a class', returned: ACR_MFA, isMfaRequired: true, result: 'code-here' },
    {
      called: 'a second factor at the identity provider, if policy requires one',
      returned: 'MultiFactor',
      isMfaRequired: true,
      result: 'pwd+otp',
    },
    { called: 'a token at the identity provider', returned: 'TimeSyncToken', isMfaRequired: true, result: 'otp' },
    {
      called: 'Entra ID after a second factor, stated only by the attribute',
      keys: { ...microsoft, onMissingMfa: 'deny' },
      returned: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      result: 'pwd+otp',
    },
    {
      called: 'Entra ID after a password',
      keys: { ...microsoft, onMissingMfa: 'deny' },
      returned: PASSWORD,
      result: 'mfa_missing',
    },
    {
      called: 'AD FS, which states the requested class in the attribute',
      keys: { ...microsoft, authnContextRequest: [MICROSOFT_MFA], onMissingMfa: 'deny' },
      returned: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      result: 'pwd+otp',
    },
    {
      called: 'Entra ID with the attribute, but without its preset',
      returned: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      result: 'pwd',
    },
    {
      called: 'an identity provider that ignores the requested class, under local-totp',
      keys: { ...refeds, onMissingMfa: 'local-totp' },
      returned: PASSWORD,
      result: 'code-here',
    },
    {
      called: 'an identity provider that ignores the requested class, under deny',
      keys: { ...refeds, onMissingMfa: 'deny' },
      returned: PASSWORD,
      result: 'mfa_missing',
    },
    {
      called: 'an identity provider that ignores the requested class, under report-only',
      keys: { ...refeds, onMissingMfa: 'deny', reportOnly: true },
      returned: PASSWORD,
      result: 'pwd,noted',
    },
    {
      called: 'a second factor other than the requested one',
      keys: { ...refeds, authnContextPresets: ['oasis', 'refeds'] },
      returned: 'MultiFactor',
      result: 'pwd',
    },
    {
      called: 'a second factor if exactly Password was requested',
      keys: { authnContextRequest: [PASSWORD] },
      returned: 'MultiFactor',
      result: 'authn_context',
    },
    {
      called: 'a second factor if at least Password was requested',
      keys: { authnContextRequest: [PASSWORD], authnContextComparison: 'minimum' },
      returned: 'MultiFactor',
      result: 'pwd+otp',
    },
    {
      called: 'a step-up that proves a second factor',
      keys: stepUp,
      acr: ACR_MFA,
      returned: REFEDS_MFA,
      result: 'pwd+otp',
    },
    {
      called: 'a step-up that returns Password',
      keys: stepUp,
      acr: ACR_MFA,
      returned: PASSWORD,
      result: 'code-here',
    },
    {
      called: 'a step-up that returns unspecified, as from a stronger session',
      keys: stepUp,
      acr: ACR_MFA,
      returned: UNSPECIFIED,
      result: 'code-here',
    },
    {
      called: 'a step-up under report-only',
      keys: { ...stepUp, onMissingMfa: 'deny', reportOnly: true },
      acr: ACR_MFA,
      returned: PASSWORD,
      result: 'code-here,noted',
    },
    { called: 'a step-up without step-up classes', acr: ACR_MFA, returned: 'MultiFactor', result: 'not_offered' },
  ])('X15: $called yields $result', ({ result, ...login }) => {
    expect(outcomeOf(login)).toBe(result);
  });
});
