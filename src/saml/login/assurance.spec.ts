import { describe, expect, it } from 'vitest';
import { ACR_MFA, type Amr, hasOtp, PWD, PWD_OTP } from '../../principal/amr.js';
import { type Assurance, type AssuranceFacts, assuranceOf, ON_MISSING_MFA } from './assurance.js';
import { amrOfContext, requiresOtp, requestedContext, satisfies } from './authn-context.js';
import { IdpProperties } from '../saml.properties.js';

const BOTH = [true, false];
const OTP: Amr = ['otp'];

/** Every combination there is, of which some cannot arise. */
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

/** `*` is any; `otp?` is whether only otp would have been an answer, `acr?` whether the caller named one. */
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

describe('the decision about a login of staff', () => {
  it('X15: is the one of the table, in every combination', () => {
    const wrong = ALL.filter((facts) => String(outcomesInTable(facts)) !== outcome(facts));

    expect(wrong).toEqual([]);
    expect(ALL).toHaveLength(3 * 2 ** 4 * 3 * 2);
  });

  it('X14: has otp exactly where the identity provider proved it by what was asked for', () => {
    const wrong = ALL.filter((facts) => {
      const assurance = assuranceOf(facts);
      return (assurance.kind === 'full' && hasOtp(assurance.amr)) !== isProven(facts);
    });

    expect(wrong).toEqual([]);
  });

  it('X14: never claims more than was proven, nor nothing', () => {
    const wrong = ALL.filter((facts) => {
      const assurance = assuranceOf(facts);
      if (assurance.kind !== 'full') return false;
      return assurance.amr.length === 0 || !assurance.amr.every((method) => facts.amr.includes(method));
    });

    expect(wrong).toEqual([]);
  });

  it('X15: never lets an account in without otp of which policy demands it', () => {
    expect(ALL.filter((facts) => facts.isMfaRequired && !isProven(facts) && isFull(facts))).toEqual([]);
  });

  it('X15: never gives more because policy demands more', () => {
    const more = ['refused', 'local', 'full'];
    const wrong = ALL.filter(
      (facts) =>
        more.indexOf(kindOf({ ...facts, isMfaRequired: true })) >
        more.indexOf(kindOf({ ...facts, isMfaRequired: false })),
    );

    expect(wrong).toEqual([]);
  });

  it('X15: with deny never lets anybody in without otp, nor asks for a code here', () => {
    const denying = ALL.filter((facts) => facts.onMissingMfa === 'deny' && !facts.reportOnly && !isProven(facts));

    expect(denying.filter((facts) => kindOf(facts) !== 'refused')).toEqual([]);
  });

  it('X15: with local-totp never lets anybody in without otp', () => {
    const local = ALL.filter((facts) => facts.onMissingMfa === 'local-totp' && !isProven(facts));

    expect(local.filter(isFull)).toEqual([]);
  });

  it('X15: never lets in without otp who asked for it by acr', () => {
    const asking = ALL.filter((facts) => facts.isAcrRequested && facts.isOtpRequired && !isProven(facts));

    expect(asking.filter(isFull)).toEqual([]);
  });

  it('X14: refuses what was not asked for, unless a code here makes up for it', () => {
    const unasked = ALL.filter((facts) => !facts.isSatisfied && !facts.isOtpRequired);

    expect(new Set(unasked.map(outcome))).toEqual(new Set(['authn_context']));
  });
});

describe('report-only', () => {
  it('notes exactly what deny would refuse, in every mode', () => {
    const noted = ALL.filter((facts) => facts.reportOnly);
    const wrong = noted.filter((facts) => {
      const isDenied = outcome({ ...facts, onMissingMfa: 'deny', reportOnly: false }) === 'mfa_missing';
      return outcome(facts).endsWith(',noted') !== isDenied;
    });

    expect(wrong).toEqual([]);
  });

  it('X15: makes deny do what accept-as-pwd does, and changes no other mode', () => {
    const wrong = ALL.filter((facts) => {
      const onMissingMfa = facts.onMissingMfa === 'deny' ? 'accept-as-pwd' : facts.onMissingMfa;
      const noted = outcome({ ...facts, reportOnly: true }).replace(',noted', '');
      return noted !== outcome({ ...facts, onMissingMfa, reportOnly: false });
    });

    expect(wrong).toEqual([]);
  });

  it('notes nothing while it is off', () => {
    expect(ALL.filter((facts) => !facts.reportOnly && outcome(facts).endsWith(',noted'))).toEqual([]);
  });
});

describe('what users of identity providers meet', () => {
  const PASSWORD = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
  const UNSPECIFIED = 'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified';
  const REFEDS_MFA = 'https://refeds.org/profile/mfa';
  const MICROSOFT_MFA = 'http://schemas.microsoft.com/claims/multipleauthn';

  interface Login {
    readonly keys?: Partial<IdpProperties>;
    readonly acr?: string;
    readonly back: string;
    readonly attributeValues?: readonly string[];
    readonly isMfaRequired?: boolean;
  }

  function met({ keys, acr, back, attributeValues = [], isMfaRequired = false }: Login): string {
    const rules = Object.assign(new IdpProperties(), keys);
    const asked = requestedContext(rules, acr);
    if (asked === 'not_offered') return asked;
    const stated = { classRef: back, attributeValues };
    return outcome({
      amr: amrOfContext(stated, rules),
      isSatisfied: satisfies(stated, asked, rules),
      isOtpRequired: requiresOtp(asked, rules),
      isAcrRequested: acr !== undefined,
      isMfaRequired: isMfaRequired,
      onMissingMfa: rules.onMissingMfa,
      reportOnly: rules.reportOnly,
    });
  }

  const refeds: Partial<IdpProperties> = { authnContextPresets: ['refeds'], authnContextRequest: [REFEDS_MFA] };
  const microsoft: Partial<IdpProperties> = { authnContextPresets: ['oasis', 'microsoft'] };
  const stepUp: Partial<IdpProperties> = { authnContextPresets: ['refeds'], authnContextStepUp: [REFEDS_MFA] };

  it.each<Login & { readonly called: string; readonly meets: string }>([
    { called: 'a password at an identity provider as it is set at first', back: PASSWORD, meets: 'pwd' },
    { called: 'the same, where policy demands more', back: PASSWORD, isMfaRequired: true, meets: 'code-here' },
    { called: 'a class nobody knows', back: UNSPECIFIED, meets: 'pwd' },
    { called: 'our own acr as a class', back: ACR_MFA, isMfaRequired: true, meets: 'code-here' },
    {
      called: 'a second factor there, where policy demands it',
      back: 'MultiFactor',
      isMfaRequired: true,
      meets: 'pwd+otp',
    },
    { called: 'a token there', back: 'TimeSyncToken', isMfaRequired: true, meets: 'otp' },
    {
      called: 'Entra after a second factor, told by the attribute alone',
      keys: { ...microsoft, onMissingMfa: 'deny' },
      back: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      meets: 'pwd+otp',
    },
    {
      called: 'Entra after a password',
      keys: { ...microsoft, onMissingMfa: 'deny' },
      back: PASSWORD,
      meets: 'mfa_missing',
    },
    {
      called: 'AD FS, which answers the asked class by the attribute',
      keys: { ...microsoft, authnContextRequest: [MICROSOFT_MFA], onMissingMfa: 'deny' },
      back: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      meets: 'pwd+otp',
    },
    {
      called: 'Entra with the attribute, but without its preset',
      back: PASSWORD,
      attributeValues: [MICROSOFT_MFA],
      meets: 'pwd',
    },
    {
      called: 'an identity provider that ignores what it was asked',
      keys: { ...refeds, onMissingMfa: 'local-totp' },
      back: PASSWORD,
      meets: 'code-here',
    },
    { called: 'the same under deny', keys: { ...refeds, onMissingMfa: 'deny' }, back: PASSWORD, meets: 'mfa_missing' },
    {
      called: 'the same while it is only reported',
      keys: { ...refeds, onMissingMfa: 'deny', reportOnly: true },
      back: PASSWORD,
      meets: 'pwd,noted',
    },
    {
      called: 'a second factor other than the one asked for',
      keys: { ...refeds, authnContextPresets: ['oasis', 'refeds'] },
      back: 'MultiFactor',
      meets: 'pwd',
    },
    {
      called: 'more than a password, where exactly a password was asked for',
      keys: { authnContextRequest: [PASSWORD] },
      back: 'MultiFactor',
      meets: 'authn_context',
    },
    {
      called: 'more than a password, where at least a password was asked for',
      keys: { authnContextRequest: [PASSWORD], authnContextComparison: 'minimum' },
      back: 'MultiFactor',
      meets: 'pwd+otp',
    },
    { called: 'a step-up that was done', keys: stepUp, acr: ACR_MFA, back: REFEDS_MFA, meets: 'pwd+otp' },
    {
      called: 'a step-up that came back as a password',
      keys: stepUp,
      acr: ACR_MFA,
      back: PASSWORD,
      meets: 'code-here',
    },
    {
      called: 'a step-up that came back as unspecified, as from a session that was stronger',
      keys: stepUp,
      acr: ACR_MFA,
      back: UNSPECIFIED,
      meets: 'code-here',
    },
    {
      called: 'a step-up under report-only',
      keys: { ...stepUp, onMissingMfa: 'deny', reportOnly: true },
      acr: ACR_MFA,
      back: PASSWORD,
      meets: 'code-here,noted',
    },
    { called: 'a step-up where none is set', acr: ACR_MFA, back: 'MultiFactor', meets: 'not_offered' },
  ])('X15: $called: $meets', ({ meets, ...login }) => {
    expect(met(login)).toBe(meets);
  });
});
