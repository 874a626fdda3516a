import { describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/support/runner/property.js';
import { ACR_MFA, ACR_PWD, type Amr, hasOtp, PWD, PWD_OTP } from '../../../../kernel/principal/amr.js';
import {
  amrOfContext,
  type Assurance,
  type AssuranceFacts,
  assuranceOf,
  type Comparison,
  COMPARISONS,
  type ContextRules,
  ON_MISSING_MFA,
  PRESETS,
  requestedContext,
  type RequestedContext,
  requiresOtp,
  satisfies,
  type AssertedContext,
} from './authn-context.js';
import { IdpProperties } from '../../saml.properties.js';

const OASIS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const PASSWORD = `${OASIS}Password`;
const MULTI_FACTOR = `${OASIS}MultiFactor`;
const REFEDS_MFA = 'https://refeds.org/profile/mfa';
const REFEDS_SFA = 'https://refeds.org/profile/sfa';
const MICROSOFT_PASSWORD = 'http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password';
const MICROSOFT_MFA = 'http://schemas.microsoft.com/claims/multipleauthn';
const UNSPECIFIED = `${OASIS}unspecified`;
const X509 = `${OASIS}X509`;

const CLASSES_WITH_OTP = [
  'TimeSyncToken',
  'MultiFactor',
  `${OASIS}TimeSyncToken`,
  MULTI_FACTOR,
  REFEDS_MFA,
  MICROSOFT_MFA,
];

/** Cyrillic, Greek, full-width and mathematical letters, and what case folding or normalising would turn into one. */
const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ['M', '\u041c'],
  ['T', '\u03a4'],
  ['a', '\u0430'],
  ['c', '\u0441'],
  ['e', '\u0435'],
  ['o', '\u043e'],
  ['p', '\u0440'],
  ['i', '\u0456'],
  ['l', '1'],
  ['n', 'n\u0303'],
  ['m', '\uff4d'],
  ['f', '\ud835\udc1f'],
  ['/', '\u2215'],
  ['.', '\uff0e'],
  [':', '\uff1a'],
  ['s', '\u017f'],
  ['k', '\u212a'],
  ['c', '\u00adc'],
];

function rules(changes: Partial<ContextRules> = {}): ContextRules {
  return Object.assign(new IdpProperties(), { authnContextPresets: PRESETS }, changes);
}

function asserted(classRef: string | undefined, ...attributeValues: string[]): AssertedContext {
  return { classRef, attributeValues };
}

function amrOfClass(classRef: string | undefined, changes?: Partial<ContextRules>): Amr {
  return amrOfContext(asserted(classRef), rules(changes));
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return text === upper ? text.toLowerCase() : upper;
}

describe('amrOfContext for a class', () => {
  it.each([
    { classRef: 'Password', amr: ['pwd'] },
    { classRef: 'PasswordProtectedTransport', amr: ['pwd'] },
    { classRef: 'TimeSyncToken', amr: ['otp'] },
    { classRef: 'MultiFactor', amr: ['pwd', 'otp'] },
    { classRef: PASSWORD, amr: ['pwd'] },
    { classRef: `${OASIS}PasswordProtectedTransport`, amr: ['pwd'] },
    { classRef: `${OASIS}TimeSyncToken`, amr: ['otp'] },
    { classRef: MULTI_FACTOR, amr: ['pwd', 'otp'] },
    { classRef: REFEDS_MFA, amr: ['pwd', 'otp'] },
    { classRef: REFEDS_SFA, amr: ['pwd'] },
    { classRef: MICROSOFT_PASSWORD, amr: ['pwd'] },
    { classRef: MICROSOFT_MFA, amr: ['pwd', 'otp'] },
  ])('X14: $classRef proves $amr', ({ classRef, amr }) => {
    expect(amrOfClass(classRef)).toEqual(amr);
  });

  it('X14: by default only classes of the preset oasis prove otp', () => {
    const chosen = rules({ authnContextPresets: new IdpProperties().authnContextPresets });

    const proving = CLASSES_WITH_OTP.filter((name) => hasOtp(amrOfContext(asserted(name), chosen)));

    expect(proving).toEqual(['TimeSyncToken', 'MultiFactor', `${OASIS}TimeSyncToken`, MULTI_FACTOR]);
  });

  it.each([UNSPECIFIED, X509, `${OASIS}MobileTwoFactorContract`, `${OASIS}Smartcard`, '', undefined])(
    'X14: the unknown class %s proves only pwd',
    (classRef) => {
      expect(amrOfClass(classRef)).toEqual(PWD);
    },
  );

  it('X14: wiaormultiauthn does not prove otp', () => {
    expect(amrOfClass('http://schemas.microsoft.com/claims/wiaormultiauthn')).toEqual(PWD);
  });

  it.each([ACR_MFA, ACR_PWD])('J8: the acr %s of this service, sent as a class, proves only pwd', (classRef) => {
    expect(amrOfClass(classRef)).toEqual(PWD);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('X14: %s does not prove otp', (classRef) => {
    expect(amrOfClass(classRef)).toEqual(PWD);
  });
});

describe('amrOfContext for a text that is not exactly a class name', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 40 });
  const name = fc.constantFrom(...CLASSES_WITH_OTP);
  const place = fc.nat(60);
  const bent: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'not for any other text': anyText,
    'not with text before or after it': fc
      .tuple(anyText, name, anyText)
      .map(([before, whole, after]) => before + whole + after),
    'not with a part omitted': fc
      .tuple(name, place, place)
      .map(([whole, from, to]) => whole.slice(0, from) + whole.slice(to)),
    'not in another case': fc
      .tuple(name, place, place)
      .map(([whole, from, to]) => whole.slice(0, from) + otherCase(whole.slice(from, to)) + whole.slice(to)),
    'not with a look-alike letter': fc
      .tuple(name, place, fc.constantFrom(...LOOK_ALIKES))
      .map(([whole, at, [plain, alike]]) => whole.slice(0, at) + whole.slice(at).replace(plain, alike)),
  };

  it.each(Object.entries(bent))('X14: proves otp for an exact class name, %s', (_claim, texts) => {
    fc.assert(
      fc.property(
        texts.filter((text) => !CLASSES_WITH_OTP.includes(text)),
        (text) => {
          expect(hasOtp(amrOfContext(asserted(text, text), rules()))).toBe(false);
        },
      ),
    );
  });

  it.each(
    CLASSES_WITH_OTP.flatMap((whole) => [
      ...[' ', '\n', '\t', '\0', '\u00a0', '\u200b', '\ufeff', '\u2028'].flatMap((blank) => [
        blank + whole,
        whole + blank,
      ]),
      `${whole}/`,
      `${whole}#`,
      `${whole}%20`,
      `${whole},${whole}`,
      `${whole} ${whole}`,
    ]),
  )('X14: does not prove otp for %j', (text) => {
    expect(hasOtp(amrOfClass(text))).toBe(false);
  });

  it.each([
    'https://evil.example/profile/mfa',
    'https://refeds.org.evil.example/profile/mfa',
    'http://refeds.org/profile/mfa',
    'https://refeds.org/profile/mfa/phishing-resistant',
    'urn:evil:MultiFactor',
    'urn:oasis:names:tc:SAML:1.0:ac:classes:MultiFactor',
    'https://schemas.microsoft.com/claims/multipleauthn',
    'multipleauthn',
    'NotMultiFactor',
  ])('X14: does not prove otp for the look-alike %s', (text) => {
    expect(hasOtp(amrOfClass(text))).toBe(false);
  });
});

describe('authn-context.map', () => {
  it('X14: makes a class that no preset contains prove otp', () => {
    const authnContextMap = new Map<string, Amr>([['https://idp.example/strong', PWD_OTP]]);

    expect(amrOfClass('https://idp.example/strong', { authnContextMap })).toEqual(PWD_OTP);
    expect(amrOfClass('https://idp.example/Strong', { authnContextMap })).toEqual(PWD);
  });

  it.each([{ mapped: PWD }, { mapped: [] }])(
    'X14: replaces the methods of a preset by $mapped, which proves pwd',
    ({ mapped }) => {
      expect(amrOfClass(MICROSOFT_MFA, { authnContextMap: new Map([[MICROSOFT_MFA, mapped]]) })).toEqual(PWD);
    },
  );

  it('X14: changes only the exact name, not the other name of the same class', () => {
    const authnContextMap = new Map<string, Amr>([[MULTI_FACTOR, PWD]]);

    expect(amrOfClass('MultiFactor', { authnContextMap })).toEqual(PWD_OTP);
  });

  it('yields each method once, in the order of the specification', () => {
    const authnContextMap = new Map<string, Amr>([['strange', ['otp', 'pwd', 'otp']]]);

    expect(amrOfClass('strange', { authnContextMap })).toEqual(['pwd', 'otp']);
  });
});

describe('authn-context.attribute', () => {
  it.each([
    { values: [], amr: ['pwd'] },
    { values: [MICROSOFT_PASSWORD], amr: ['pwd'] },
    { values: [MICROSOFT_PASSWORD, MICROSOFT_MFA], amr: ['pwd', 'otp'] },
    { values: ['TimeSyncToken'], amr: ['pwd', 'otp'] },
    { values: [`${MICROSOFT_PASSWORD} ${MICROSOFT_MFA}`], amr: ['pwd'] },
  ])('X14: $values beside the class Password prove $amr', ({ values, amr }) => {
    expect(amrOfContext(asserted(PASSWORD, ...values), rules())).toEqual(amr);
  });

  it('X14: proves methods beside an unknown class', () => {
    expect(amrOfContext(asserted(X509, MICROSOFT_MFA), rules())).toEqual(PWD_OTP);
  });

  it('X14: proves methods without a class', () => {
    expect(amrOfContext(asserted(undefined, MICROSOFT_MFA), rules())).toEqual(PWD_OTP);
  });

  it('X14: does not remove methods that the class proves', () => {
    expect(amrOfContext(asserted(MULTI_FACTOR, PASSWORD, UNSPECIFIED), rules())).toEqual(PWD_OTP);
  });
});

describe('requestedContext', () => {
  const authnContextStepUp = [X509, MULTI_FACTOR, PASSWORD, REFEDS_MFA];

  it('has no classes by default', () => {
    expect(requestedContext(rules(), undefined)).toEqual({ classes: [], comparison: 'exact' });
  });

  it('has the classes of authn-context.request in their order without acr', () => {
    const set = rules({
      authnContextRequest: [REFEDS_MFA, PASSWORD],
      authnContextComparison: 'minimum',
      authnContextStepUp,
    });

    expect(requestedContext(set, undefined)).toEqual({ classes: [REFEDS_MFA, PASSWORD], comparison: 'minimum' });
  });

  it('has every step-up class that proves otp, compared exactly, with acr=urn:login:acr:mfa', () => {
    const set = rules({ authnContextRequest: [PASSWORD], authnContextComparison: 'maximum', authnContextStepUp });

    expect(requestedContext(set, ACR_MFA)).toEqual({ classes: [MULTI_FACTOR, REFEDS_MFA], comparison: 'exact' });
  });

  it('omits a step-up class that the map deprives of otp', () => {
    const set = rules({ authnContextStepUp, authnContextMap: new Map([[MULTI_FACTOR, PWD]]) });

    expect(requestedContext(set, ACR_MFA)).toEqual({ classes: [REFEDS_MFA], comparison: 'exact' });
  });

  it('has only the step-up class that acr names', () => {
    expect(requestedContext(rules({ authnContextStepUp }), X509)).toEqual({ classes: [X509], comparison: 'exact' });
  });

  it.each([
    { acr: MULTI_FACTOR, authnContextStepUp: [], called: 'without step-up classes' },
    { acr: ACR_MFA, authnContextStepUp: [], called: 'without step-up classes' },
    { acr: ACR_MFA, authnContextStepUp: [PASSWORD, X509], called: 'if no step-up class proves otp' },
    { acr: MULTI_FACTOR, authnContextStepUp: [REFEDS_MFA], called: 'if it is not a step-up class' },
    { acr: 'multifactor', authnContextStepUp: ['MultiFactor'], called: 'in another case' },
    { acr: `${REFEDS_MFA} `, authnContextStepUp: [REFEDS_MFA], called: 'with a trailing space' },
    { acr: `${REFEDS_MFA} ${MULTI_FACTOR}`, authnContextStepUp, called: 'as a list' },
    { acr: ACR_PWD, authnContextStepUp, called: 'although it belongs to this service' },
    { acr: '', authnContextStepUp, called: 'if it is empty' },
  ])('J8: the acr "$acr" is not offered $called', ({ acr, authnContextStepUp }) => {
    expect(requestedContext(rules({ authnContextStepUp, authnContextRequest: [PASSWORD] }), acr)).toBe('not_offered');
  });
});

describe('satisfies', () => {
  const isSatisfiedBy = (
    comparison: Comparison,
    classes: readonly string[],
    ...returned: Parameters<typeof asserted>
  ): boolean => satisfies(asserted(...returned), { classes, comparison }, rules());

  it.each(COMPARISONS)('%s is satisfied if no classes were requested', (comparison) => {
    expect(isSatisfiedBy(comparison, [], UNSPECIFIED)).toBe(true);
    expect(isSatisfiedBy(comparison, [], undefined)).toBe(true);
  });

  it.each([
    { classes: [REFEDS_MFA], returned: REFEDS_MFA, isSatisfied: true },
    { classes: [REFEDS_MFA, PASSWORD], returned: PASSWORD, isSatisfied: true },
    { classes: [X509], returned: X509, isSatisfied: true },
    { classes: [REFEDS_MFA], returned: MULTI_FACTOR, isSatisfied: false },
    { classes: [MULTI_FACTOR], returned: 'MultiFactor', isSatisfied: false },
    { classes: [PASSWORD], returned: MULTI_FACTOR, isSatisfied: false },
    { classes: [REFEDS_MFA], returned: `${REFEDS_MFA}/`, isSatisfied: false },
    { classes: [REFEDS_MFA], returned: UNSPECIFIED, isSatisfied: false },
    { classes: [REFEDS_MFA], returned: undefined, isSatisfied: false },
  ])('X14: exact $classes is satisfied by $returned: $isSatisfied', ({ classes, returned, isSatisfied }) => {
    expect(isSatisfiedBy('exact', classes, returned)).toBe(isSatisfied);
  });

  it.each([
    { classes: [PASSWORD], returned: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD], returned: REFEDS_SFA, isSatisfied: true },
    { classes: [MULTI_FACTOR], returned: `${OASIS}TimeSyncToken`, isSatisfied: true },
    { classes: [MULTI_FACTOR, PASSWORD], returned: REFEDS_SFA, isSatisfied: true },
    { classes: [X509], returned: X509, isSatisfied: true },
    { classes: [X509, PASSWORD], returned: REFEDS_MFA, isSatisfied: true },
    { classes: [MULTI_FACTOR], returned: PASSWORD, isSatisfied: false },
    { classes: [X509], returned: MULTI_FACTOR, isSatisfied: false },
    { classes: [PASSWORD], returned: X509, isSatisfied: false },
    // Keycloak returned this when a session was stronger than requested.
    { classes: [PASSWORD], returned: UNSPECIFIED, isSatisfied: false },
  ])('X14: minimum $classes is satisfied by $returned: $isSatisfied', ({ classes, returned, isSatisfied }) => {
    expect(isSatisfiedBy('minimum', classes, returned)).toBe(isSatisfied);
  });

  it.each([
    // A weaker class satisfies maximum, unlike exact.
    { classes: [MULTI_FACTOR], returned: PASSWORD, isSatisfied: true },
    { classes: [MULTI_FACTOR], returned: REFEDS_MFA, isSatisfied: true },
    { classes: [PASSWORD, MULTI_FACTOR], returned: REFEDS_MFA, isSatisfied: true },
    { classes: [X509], returned: X509, isSatisfied: true },
    { classes: [PASSWORD], returned: MULTI_FACTOR, isSatisfied: false },
    { classes: [MULTI_FACTOR], returned: UNSPECIFIED, isSatisfied: false },
    { classes: [X509], returned: PASSWORD, isSatisfied: false },
  ])('X14: maximum $classes is satisfied by $returned: $isSatisfied', ({ classes, returned, isSatisfied }) => {
    expect(isSatisfiedBy('maximum', classes, returned)).toBe(isSatisfied);
  });

  it.each([
    { classes: [PASSWORD], returned: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD, REFEDS_SFA], returned: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD], returned: PASSWORD, isSatisfied: false },
    { classes: [PASSWORD], returned: REFEDS_SFA, isSatisfied: false },
    { classes: [MULTI_FACTOR], returned: REFEDS_MFA, isSatisfied: false },
    { classes: [PASSWORD, MULTI_FACTOR], returned: REFEDS_MFA, isSatisfied: false },
    { classes: [X509], returned: MULTI_FACTOR, isSatisfied: false },
    { classes: [X509], returned: X509, isSatisfied: false },
    { classes: [PASSWORD], returned: X509, isSatisfied: false },
  ])('X14: better than $classes is satisfied by $returned: $isSatisfied', ({ classes, returned, isSatisfied }) => {
    expect(isSatisfiedBy('better', classes, returned)).toBe(isSatisfied);
  });

  it('X14: a value of the attribute is treated like the class', () => {
    expect(isSatisfiedBy('exact', [MICROSOFT_MFA], PASSWORD, MICROSOFT_PASSWORD, MICROSOFT_MFA)).toBe(true);
    expect(isSatisfiedBy('exact', [MICROSOFT_MFA], PASSWORD, MICROSOFT_PASSWORD)).toBe(false);
    expect(isSatisfiedBy('exact', [MICROSOFT_MFA], undefined, MICROSOFT_MFA)).toBe(true);
    expect(isSatisfiedBy('minimum', [X509], X509, PASSWORD)).toBe(true);
    expect(isSatisfiedBy('better', [PASSWORD], PASSWORD, MICROSOFT_MFA)).toBe(true);
    expect(isSatisfiedBy('maximum', [PASSWORD], PASSWORD, MICROSOFT_MFA)).toBe(false);
  });

  it('X14: a class is as weak as the map states', () => {
    const set = rules({ authnContextMap: new Map([[MULTI_FACTOR, PWD]]) });

    expect(satisfies(asserted(MULTI_FACTOR), { classes: [REFEDS_MFA], comparison: 'minimum' }, set)).toBe(false);
  });

  it('X14: requiresOtp is true exactly if no login without otp satisfies the request', () => {
    const classes = [PASSWORD, REFEDS_SFA, MULTI_FACTOR, 'TimeSyncToken', X509, UNSPECIFIED];
    const logins = [undefined, ...classes].flatMap((classRef) => [
      asserted(classRef),
      ...classes.map((value) => asserted(classRef, value)),
    ]);
    const weakLogins = logins.filter((login) => !hasOtp(amrOfContext(login, rules())));
    const requests: readonly RequestedContext[] = COMPARISONS.flatMap((comparison) =>
      [[], ...classes.flatMap((one) => classes.map((other) => [one, other]))].map((both) => ({
        classes: both,
        comparison,
      })),
    );

    const wrong = requests.filter(
      (requested) =>
        requiresOtp(requested, rules()) === weakLogins.some((login) => satisfies(login, requested, rules())),
    );

    expect(wrong).toEqual([]);
  });
});

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
  if (assurance.kind === 'rejected') return assurance.rejection;
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
  const reason = (claim: boolean): string => (claim ? 'yes' : 'no');
  const cells = [
    reason(facts.isSatisfied),
    facts.amr.join('+'),
    reason(facts.isOtpRequired),
    reason(facts.isAcrRequested),
    reason(facts.isMfaRequired),
    facts.onMissingMfa,
    reason(facts.reportOnly),
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
    const order = ['rejected', 'local', 'full'];
    const wrong = ALL.filter(
      (facts) =>
        order.indexOf(kindOf({ ...facts, isMfaRequired: true })) >
        order.indexOf(kindOf({ ...facts, isMfaRequired: false })),
    );

    expect(wrong).toEqual([]);
  });

  it('X15: deny rejects every login without otp', () => {
    const denying = ALL.filter((facts) => facts.onMissingMfa === 'deny' && !facts.reportOnly && !isProven(facts));

    expect(denying.filter((facts) => kindOf(facts) !== 'rejected')).toEqual([]);
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
    const asserted = { classRef: returned, attributeValues };
    return outcome({
      amr: amrOfContext(asserted, rules),
      isSatisfied: satisfies(asserted, requested, rules),
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
