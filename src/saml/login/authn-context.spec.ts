import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/property.js';
import { ACR_MFA, ACR_PWD, type Amr, hasOtp, PWD, PWD_OTP } from '../../principal/amr.js';
import {
  amrOfContext,
  requiresOtp,
  requestedContext,
  type RequestedContext,
  type Comparison,
  COMPARISONS,
  type ContextRules,
  PRESETS,
  satisfies,
  type StatedContext,
} from './authn-context.js';
import { IdpProperties } from '../saml.properties.js';

const OASIS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const PASSWORD = `${OASIS}Password`;
const MULTI_FACTOR = `${OASIS}MultiFactor`;
const REFEDS_MFA = 'https://refeds.org/profile/mfa';
const REFEDS_SFA = 'https://refeds.org/profile/sfa';
const MICROSOFT_PASSWORD = 'http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password';
const MICROSOFT_MFA = 'http://schemas.microsoft.com/claims/multipleauthn';
const UNSPECIFIED = `${OASIS}unspecified`;
const X509 = `${OASIS}X509`;

const GIVING_OTP = ['TimeSyncToken', 'MultiFactor', `${OASIS}TimeSyncToken`, MULTI_FACTOR, REFEDS_MFA, MICROSOFT_MFA];

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

function stated(classRef: string | undefined, ...attributeValues: string[]): StatedContext {
  return { classRef, attributeValues };
}

function amrOfClass(classRef: string | undefined, changes?: Partial<ContextRules>): Amr {
  return amrOfContext(stated(classRef), rules(changes));
}

function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return text === upper ? text.toLowerCase() : upper;
}

describe('what a class proves', () => {
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
  ])('X14: $classRef gives $amr', ({ classRef, amr }) => {
    expect(amrOfClass(classRef)).toEqual(amr);
  });

  it('X14: without presets chosen, the classes of OASIS alone give otp', () => {
    const chosen = rules({ authnContextPresets: new IdpProperties().authnContextPresets });

    const giving = GIVING_OTP.filter((name) => hasOtp(amrOfContext(stated(name), chosen)));

    expect(giving).toEqual(['TimeSyncToken', 'MultiFactor', `${OASIS}TimeSyncToken`, MULTI_FACTOR]);
  });

  it.each([UNSPECIFIED, X509, `${OASIS}MobileTwoFactorContract`, `${OASIS}Smartcard`, '', undefined])(
    'X14: %s, of which nothing is known, counts as a password alone',
    (classRef) => {
      expect(amrOfClass(classRef)).toEqual(PWD);
    },
  );

  it('X14: a Windows sign-in or a second factor, whichever it was, gives no otp', () => {
    expect(amrOfClass('http://schemas.microsoft.com/claims/wiaormultiauthn')).toEqual(PWD);
  });

  it.each([ACR_MFA, ACR_PWD])('J8: our own acr %s, sent as a class, is an unknown class', (classRef) => {
    expect(amrOfClass(classRef)).toEqual(PWD);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('X14: %s gives no otp', (classRef) => {
    expect(amrOfClass(classRef)).toEqual(PWD);
  });
});

describe('no other string than the whole name gives otp', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 40 });
  const name = fc.constantFrom(...GIVING_OTP);
  const place = fc.nat(60);
  const bent: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'no text at all': anyText,
    'none with something before or after it': fc
      .tuple(anyText, name, anyText)
      .map(([before, whole, after]) => before + whole + after),
    'none with a part left out': fc
      .tuple(name, place, place)
      .map(([whole, from, to]) => whole.slice(0, from) + whole.slice(to)),
    'none with letters of the other case': fc
      .tuple(name, place, place)
      .map(([whole, from, to]) => whole.slice(0, from) + otherCase(whole.slice(from, to)) + whole.slice(to)),
    'none with a letter that only looks or reads alike': fc
      .tuple(name, place, fc.constantFrom(...LOOK_ALIKES))
      .map(([whole, at, [plain, alike]]) => whole.slice(0, at) + whole.slice(at).replace(plain, alike)),
  };

  it.each(Object.entries(bent))('X14: %s', (_claim, texts) => {
    fc.assert(
      fc.property(
        texts.filter((text) => !GIVING_OTP.includes(text)),
        (text) => {
          expect(hasOtp(amrOfContext(stated(text, text), rules()))).toBe(false);
        },
      ),
    );
  });

  it.each(
    GIVING_OTP.flatMap((whole) => [
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
  )('X14: not %j', (text) => {
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
  ])('X14: not the look-alike %s', (text) => {
    expect(hasOtp(amrOfClass(text))).toBe(false);
  });
});

describe('the map of the operator', () => {
  it('X14: gives otp to a class that no preset knows', () => {
    const authnContextMap = new Map<string, Amr>([['https://idp.example/strong', PWD_OTP]]);

    expect(amrOfClass('https://idp.example/strong', { authnContextMap })).toEqual(PWD_OTP);
    expect(amrOfClass('https://idp.example/Strong', { authnContextMap })).toEqual(PWD);
  });

  it.each([{ taken: PWD }, { taken: [] }])('X14: takes a class of a preset down to $taken', ({ taken }) => {
    expect(amrOfClass(MICROSOFT_MFA, { authnContextMap: new Map([[MICROSOFT_MFA, taken]]) })).toEqual(PWD);
  });

  it('X14: takes down the one name it says, not the other of the same class', () => {
    const authnContextMap = new Map<string, Amr>([[MULTI_FACTOR, PWD]]);

    expect(amrOfClass('MultiFactor', { authnContextMap })).toEqual(PWD_OTP);
  });

  it('lists the methods in the order of the specification, each once', () => {
    const authnContextMap = new Map<string, Amr>([['strange', ['otp', 'pwd', 'otp']]]);

    expect(amrOfClass('strange', { authnContextMap })).toEqual(['pwd', 'otp']);
  });
});

describe('the attribute', () => {
  it.each([
    { values: [], amr: ['pwd'] },
    { values: [MICROSOFT_PASSWORD], amr: ['pwd'] },
    { values: [MICROSOFT_PASSWORD, MICROSOFT_MFA], amr: ['pwd', 'otp'] },
    { values: ['TimeSyncToken'], amr: ['pwd', 'otp'] },
    { values: [`${MICROSOFT_PASSWORD} ${MICROSOFT_MFA}`], amr: ['pwd'] },
  ])('X14: beside the class Password, $values gives $amr', ({ values, amr }) => {
    expect(amrOfContext(stated(PASSWORD, ...values), rules())).toEqual(amr);
  });

  it('X14: adds to a class of which nothing is known', () => {
    expect(amrOfContext(stated(X509, MICROSOFT_MFA), rules())).toEqual(PWD_OTP);
  });

  it('X14: proves what it does also where there is no class', () => {
    expect(amrOfContext(stated(undefined, MICROSOFT_MFA), rules())).toEqual(PWD_OTP);
  });

  it('X14: takes nothing from what the class proves', () => {
    expect(amrOfContext(stated(MULTI_FACTOR, PASSWORD, UNSPECIFIED), rules())).toEqual(PWD_OTP);
  });
});

describe('what a login asks for', () => {
  const authnContextStepUp = [X509, MULTI_FACTOR, PASSWORD, REFEDS_MFA];

  it('is nothing, unless it is set', () => {
    expect(requestedContext(rules(), undefined)).toEqual({ classes: [], comparison: 'exact' });
  });

  it('without acr is what every login asks for, in its order', () => {
    const set = rules({
      authnContextRequest: [REFEDS_MFA, PASSWORD],
      authnContextComparison: 'minimum',
      authnContextStepUp,
    });

    expect(requestedContext(set, undefined)).toEqual({ classes: [REFEDS_MFA, PASSWORD], comparison: 'minimum' });
  });

  it('with the acr for a second factor is every class of the step-up that gives otp, compared exactly', () => {
    const set = rules({ authnContextRequest: [PASSWORD], authnContextComparison: 'maximum', authnContextStepUp });

    expect(requestedContext(set, ACR_MFA)).toEqual({ classes: [MULTI_FACTOR, REFEDS_MFA], comparison: 'exact' });
  });

  it('leaves out what the map of the operator took down', () => {
    const set = rules({ authnContextStepUp, authnContextMap: new Map([[MULTI_FACTOR, PWD]]) });

    expect(requestedContext(set, ACR_MFA)).toEqual({ classes: [REFEDS_MFA], comparison: 'exact' });
  });

  it('with a class of the step-up as acr is this class alone', () => {
    expect(requestedContext(rules({ authnContextStepUp }), X509)).toEqual({ classes: [X509], comparison: 'exact' });
  });

  it.each([
    { acr: MULTI_FACTOR, authnContextStepUp: [], called: 'without a step-up' },
    { acr: ACR_MFA, authnContextStepUp: [], called: 'without a step-up' },
    { acr: ACR_MFA, authnContextStepUp: [PASSWORD, X509], called: 'where no class of the step-up gives otp' },
    { acr: MULTI_FACTOR, authnContextStepUp: [REFEDS_MFA], called: 'where it is not in the step-up' },
    { acr: 'multifactor', authnContextStepUp: ['MultiFactor'], called: 'in another case' },
    { acr: `${REFEDS_MFA} `, authnContextStepUp: [REFEDS_MFA], called: 'with a blank' },
    { acr: `${REFEDS_MFA} ${MULTI_FACTOR}`, authnContextStepUp, called: 'as a list' },
    { acr: ACR_PWD, authnContextStepUp, called: 'although it is our own' },
    { acr: '', authnContextStepUp, called: 'although it is empty' },
  ])('J8: the acr "$acr" is not offered $called', ({ acr, authnContextStepUp }) => {
    expect(requestedContext(rules({ authnContextStepUp, authnContextRequest: [PASSWORD] }), acr)).toBe('not_offered');
  });
});

describe('what came back against what was asked', () => {
  const answers = (comparison: Comparison, classes: readonly string[], ...back: Parameters<typeof stated>): boolean =>
    satisfies(stated(...back), { classes, comparison }, rules());

  it.each(COMPARISONS)('satisfies %s where nothing was asked', (comparison) => {
    expect(answers(comparison, [], UNSPECIFIED)).toBe(true);
    expect(answers(comparison, [], undefined)).toBe(true);
  });

  it.each([
    { classes: [REFEDS_MFA], back: REFEDS_MFA, isSatisfied: true },
    { classes: [REFEDS_MFA, PASSWORD], back: PASSWORD, isSatisfied: true },
    { classes: [X509], back: X509, isSatisfied: true },
    { classes: [REFEDS_MFA], back: MULTI_FACTOR, isSatisfied: false },
    { classes: [MULTI_FACTOR], back: 'MultiFactor', isSatisfied: false },
    { classes: [PASSWORD], back: MULTI_FACTOR, isSatisfied: false },
    { classes: [REFEDS_MFA], back: `${REFEDS_MFA}/`, isSatisfied: false },
    { classes: [REFEDS_MFA], back: UNSPECIFIED, isSatisfied: false },
    { classes: [REFEDS_MFA], back: undefined, isSatisfied: false },
  ])('X14: exact $classes, answered by $back: $isSatisfied', ({ classes, back, isSatisfied }) => {
    expect(answers('exact', classes, back)).toBe(isSatisfied);
  });

  it.each([
    { classes: [PASSWORD], back: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD], back: REFEDS_SFA, isSatisfied: true },
    { classes: [MULTI_FACTOR], back: `${OASIS}TimeSyncToken`, isSatisfied: true },
    { classes: [MULTI_FACTOR, PASSWORD], back: REFEDS_SFA, isSatisfied: true },
    { classes: [X509], back: X509, isSatisfied: true },
    { classes: [X509, PASSWORD], back: REFEDS_MFA, isSatisfied: true },
    { classes: [MULTI_FACTOR], back: PASSWORD, isSatisfied: false },
    { classes: [X509], back: MULTI_FACTOR, isSatisfied: false },
    { classes: [PASSWORD], back: X509, isSatisfied: false },
    // Keycloak fell back to this when a session was stronger than asked for.
    { classes: [PASSWORD], back: UNSPECIFIED, isSatisfied: false },
  ])('X14: minimum $classes, answered by $back: $isSatisfied', ({ classes, back, isSatisfied }) => {
    expect(answers('minimum', classes, back)).toBe(isSatisfied);
  });

  it.each([
    // What is weaker than the upper bound fits: maximum is not exact.
    { classes: [MULTI_FACTOR], back: PASSWORD, isSatisfied: true },
    { classes: [MULTI_FACTOR], back: REFEDS_MFA, isSatisfied: true },
    { classes: [PASSWORD, MULTI_FACTOR], back: REFEDS_MFA, isSatisfied: true },
    { classes: [X509], back: X509, isSatisfied: true },
    { classes: [PASSWORD], back: MULTI_FACTOR, isSatisfied: false },
    { classes: [MULTI_FACTOR], back: UNSPECIFIED, isSatisfied: false },
    { classes: [X509], back: PASSWORD, isSatisfied: false },
  ])('X14: maximum $classes, answered by $back: $isSatisfied', ({ classes, back, isSatisfied }) => {
    expect(answers('maximum', classes, back)).toBe(isSatisfied);
  });

  it.each([
    { classes: [PASSWORD], back: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD, REFEDS_SFA], back: MULTI_FACTOR, isSatisfied: true },
    { classes: [PASSWORD], back: PASSWORD, isSatisfied: false },
    { classes: [PASSWORD], back: REFEDS_SFA, isSatisfied: false },
    { classes: [MULTI_FACTOR], back: REFEDS_MFA, isSatisfied: false },
    { classes: [PASSWORD, MULTI_FACTOR], back: REFEDS_MFA, isSatisfied: false },
    { classes: [X509], back: MULTI_FACTOR, isSatisfied: false },
    { classes: [X509], back: X509, isSatisfied: false },
    { classes: [PASSWORD], back: X509, isSatisfied: false },
  ])('X14: better than $classes, answered by $back: $isSatisfied', ({ classes, back, isSatisfied }) => {
    expect(answers('better', classes, back)).toBe(isSatisfied);
  });

  it('X14: a name in the attribute counts like the class', () => {
    expect(answers('exact', [MICROSOFT_MFA], PASSWORD, MICROSOFT_PASSWORD, MICROSOFT_MFA)).toBe(true);
    expect(answers('exact', [MICROSOFT_MFA], PASSWORD, MICROSOFT_PASSWORD)).toBe(false);
    expect(answers('exact', [MICROSOFT_MFA], undefined, MICROSOFT_MFA)).toBe(true);
    expect(answers('minimum', [X509], X509, PASSWORD)).toBe(true);
    expect(answers('better', [PASSWORD], PASSWORD, MICROSOFT_MFA)).toBe(true);
    expect(answers('maximum', [PASSWORD], PASSWORD, MICROSOFT_MFA)).toBe(false);
  });

  it('X14: a class that the operator took down is as weak as he said', () => {
    const set = rules({ authnContextMap: new Map([[MULTI_FACTOR, PWD]]) });

    expect(satisfies(stated(MULTI_FACTOR), { classes: [REFEDS_MFA], comparison: 'minimum' }, set)).toBe(false);
  });

  it('X14: asks for otp exactly where no login without otp satisfies', () => {
    const classes = [PASSWORD, REFEDS_SFA, MULTI_FACTOR, 'TimeSyncToken', X509, UNSPECIFIED];
    const logins = [undefined, ...classes].flatMap((classRef) => [
      stated(classRef),
      ...classes.map((value) => stated(classRef, value)),
    ]);
    const weakLogins = logins.filter((login) => !hasOtp(amrOfContext(login, rules())));
    const requests: readonly RequestedContext[] = COMPARISONS.flatMap((comparison) =>
      [[], ...classes.flatMap((one) => classes.map((other) => [one, other]))].map((both) => ({
        classes: both,
        comparison,
      })),
    );

    const wrong = requests.filter(
      (asked) => requiresOtp(asked, rules()) === weakLogins.some((login) => satisfies(login, asked, rules())),
    );

    expect(wrong).toEqual([]);
  });
});
