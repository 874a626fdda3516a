import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../../../../test/support/saml/identity-provider.js';
import type { ResponseOptions } from '../../../../../test/support/saml/saml-response.js';
import { readDocument } from '../../xml/document-allowlist.js';
import { isRejection } from '../rejection.js';
import {
  readResponse,
  assertionRejection,
  type Expectations,
  responseRejection,
  type ResponseFacts,
} from './response.js';
import { fc } from '../../../../../test/support/runner/property.js';
import type { AssertionFacts } from './assertion.js';

const ACS_URL = 'https://login.test/saml/staff/acs';
const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
const ANSWER: ResponseOptions = { acsUrl: ACS_URL, audience: 'a', inResponseTo: '_request', id: '_response' };

describe('readResponse', () => {
  let idp: IdentityProvider;
  let honest: string;

  beforeAll(() => {
    idp = IdentityProvider.make();
    honest = idp.response(ANSWER);
  });

  function read(xml: string) {
    const document = readDocument(xml);
    return isRejection(document) ? `allowlist: ${document}` : readResponse(document);
  }

  it('returns the facts around the assertion', () => {
    expect(read(honest)).toEqual({
      id: '_response',
      issuer: idp.entityId,
      destination: ACS_URL,
      inResponseTo: '_request',
      status: { isSuccess: true, reason: undefined },
      isSigned: false,
      isEncrypted: false,
    });
  });

  it('states whether the response is signed, and leaves absent facts undefined', () => {
    const xml = idp.response({
      ...ANSWER,
      signed: 'both',
      responseIssuer: null,
      destination: null,
      inResponseTo: null,
    });

    expect(read(xml)).toMatchObject({
      issuer: undefined,
      destination: undefined,
      inResponseTo: undefined,
      isSigned: true,
    });
  });

  it.each([
    ['Responder', 'NoAuthnContext', 'NoAuthnContext'],
    ['Requester', 'RequestDenied', 'RequestDenied'],
    ['Responder', undefined, 'Responder'],
  ])('X17: returns the innermost status code of %s and %s', (status, subStatus, reason) => {
    const options = { status: `${STATUS}${status}`, ...(subStatus && { subStatus: `${STATUS}${subStatus}` }) };

    expect(read(idp.response({ ...ANSWER, ...options }))).toMatchObject({ status: { isSuccess: false, reason } });
  });

  it.each(['urn:other:AuthnFailed', `${STATUS}AuthnFailed\u2028`, 'AuthnFailed', `${STATUS}Success`])(
    'X17: does not return a status code that SAML does not define: %s',
    (subStatus) => {
      const xml = idp.response({ ...ANSWER, status: 'urn:other:failed', subStatus });

      expect(read(xml)).toMatchObject({ status: { isSuccess: false, reason: undefined } });
    },
  );

  it.each(['success', 'Success ', 'SuccessX', 'x:Success'])(
    'X17: does not accept a look-alike of Success: %s',
    (code) => {
      const xml = honest.replace(`${STATUS}Success`, `${STATUS}${code}`);

      expect(read(xml)).toMatchObject({ status: { isSuccess: false } });
    },
  );

  it('X17: does not accept Success below a failure', () => {
    const xml = idp.response({ ...ANSWER, status: `${STATUS}Responder`, subStatus: `${STATUS}Success` });

    expect(read(xml)).toMatchObject({ status: { isSuccess: false } });
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no ID', 'ID="_response"', ''],
    ['another version', 'Version="2.0"', 'Version="1.1"'],
    ['a status without a code', /<samlp:StatusCode[^>]*><\/samlp:StatusCode>/, ''],
    ['two status codes', /(<samlp:StatusCode[^>]*><\/samlp:StatusCode>)/, '$1$1'],
    ['a status code without a value', /<samlp:StatusCode[^>]*><\/samlp:StatusCode>/, '<samlp:StatusCode/>'],
    [
      'a status code in another namespace',
      /<samlp:StatusCode([^>]*)><\/samlp:StatusCode>/,
      '<StatusCode xmlns="x"$1/>',
    ],
  ])('X17: rejects a response with %s', (_, from, to) => {
    const bent = honest.replace(from, to);

    expect(bent).not.toBe(honest);
    expect(read(bent)).toBe('structure');
  });

  it('X7: rejects an Issuer that is not an entity', () => {
    const format = 'Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"';

    expect(read(honest.replace('<saml:Issuer ', `<saml:Issuer ${format} `))).toBe('issuer');
  });
});

const NOW = Date.UTC(2026, 10, 21, 9);
const SKEW = 60_000;
const MAX_AGE = 300_000;
const ISSUER = 'https://idp.test/metadata';
const AUDIENCE = 'https://login.test/saml/staff/metadata';

const EXPECTED: Expectations = {
  issuer: ISSUER,
  audience: AUDIENCE,
  recipient: ACS_URL,
  inResponseTo: '_request',
  skewMillis: SKEW,
  maxAgeMillis: MAX_AGE,
};
const UNSOLICITED = { ...EXPECTED, inResponseTo: undefined };

const CONDITIONS = { notBefore: NOW, notOnOrAfter: NOW + 300_000, audienceRestrictions: [[AUDIENCE]] };
const CONFIRMATION = {
  recipient: ACS_URL,
  inResponseTo: '_request',
  notBefore: undefined,
  notOnOrAfter: NOW + 300_000,
};
const STATEMENT = {
  authnInstant: NOW,
  sessionIndex: '_session',
  sessionNotOnOrAfter: NOW + 3_600_000,
  authnContextClassRef: 'MultiFactor',
};
const FACTS: AssertionFacts = {
  id: '_honest',
  issuer: ISSUER,
  issueInstant: NOW,
  nameId: undefined,
  confirmation: CONFIRMATION,
  conditions: CONDITIONS,
  authnStatement: STATEMENT,
  attributes: new Map(),
};

const withConditions = (conditions: Partial<AssertionFacts['conditions']>) => ({
  ...FACTS,
  conditions: { ...CONDITIONS, ...conditions },
});
const withConfirmation = (confirmation: Partial<AssertionFacts['confirmation']>) => ({
  ...FACTS,
  confirmation: { ...CONFIRMATION, ...confirmation },
});
const withStatement = (statement: Partial<AssertionFacts['authnStatement']>) => ({
  ...FACTS,
  authnStatement: { ...STATEMENT, ...statement },
});

describe('assertionFault', () => {
  it('accepts an assertion that states what is expected', () => {
    expect(assertionRejection(FACTS, EXPECTED, NOW)).toBeUndefined();
  });

  it('accepts an assertion without times in its Conditions and without SessionNotOnOrAfter', () => {
    expect(
      assertionRejection(withConditions({ notBefore: undefined, notOnOrAfter: undefined }), EXPECTED, NOW),
    ).toBeUndefined();
    expect(assertionRejection(withStatement({ sessionNotOnOrAfter: undefined }), EXPECTED, NOW)).toBeUndefined();
  });

  it('accepts an assertion that names the audience more than once', () => {
    const restrictions = [[AUDIENCE, AUDIENCE], [AUDIENCE]];

    expect(assertionRejection(withConditions({ audienceRestrictions: restrictions }), EXPECTED, NOW)).toBeUndefined();
  });

  it.each<readonly [string, AssertionFacts, string]>([
    ['issuer', { ...FACTS, issuer: 'https://other.test' }, 'issuer'],
    ['issuer in another case', { ...FACTS, issuer: ISSUER.toUpperCase() }, 'issuer'],
    ['issuer with a trailing space', { ...FACTS, issuer: `${ISSUER} ` }, 'issuer'],
    ['audience', withConditions({ audienceRestrictions: [['https://other.test']] }), 'audience'],
    ['audience with a trailing slash', withConditions({ audienceRestrictions: [[`${AUDIENCE}/`]] }), 'audience'],
    ['second audience', withConditions({ audienceRestrictions: [[AUDIENCE, 'https://other.test']] }), 'audience'],
    ['second restriction', withConditions({ audienceRestrictions: [[AUDIENCE], ['https://other.test']] }), 'audience'],
    ['audience: no restriction', withConditions({ audienceRestrictions: [] }), 'audience'],
    ['recipient', withConfirmation({ recipient: 'https://other.test/saml/staff/acs' }), 'recipient'],
    ['recipient with a query', withConfirmation({ recipient: `${ACS_URL}?` }), 'recipient'],
    ['recipient: none', withConfirmation({ recipient: undefined }), 'recipient'],
    ['confirmation: no NotOnOrAfter', withConfirmation({ notOnOrAfter: undefined }), 'confirmation'],
  ])('X7: rejects a wrong %s', (_, facts, problem) => {
    expect(assertionRejection(facts, EXPECTED, NOW)).toBe(problem);
  });

  it('X8: rejects an assertion for another request or for none', () => {
    expect(assertionRejection(withConfirmation({ inResponseTo: '_other' }), EXPECTED, NOW)).toBe('in_response_to');
    expect(assertionRejection(withConfirmation({ inResponseTo: undefined }), EXPECTED, NOW)).toBe('unsolicited');
    expect(assertionRejection(withConfirmation({ inResponseTo: '' }), EXPECTED, NOW)).toBe('in_response_to');
  });

  it('X8: rejects an unsolicited assertion that names a request', () => {
    expect(assertionRejection(withConfirmation({ inResponseTo: undefined }), UNSOLICITED, NOW)).toBeUndefined();
    expect(assertionRejection(FACTS, UNSOLICITED, NOW)).toBe('in_response_to');
    expect(assertionRejection(withConfirmation({ inResponseTo: '' }), UNSOLICITED, NOW)).toBe('in_response_to');
  });

  it.each<readonly [string, (at: number) => AssertionFacts]>([
    ['NotBefore of the conditions', (notBefore) => withConditions({ notBefore })],
    ['NotBefore of the confirmation', (notBefore) => withConfirmation({ notBefore })],
    ['IssueInstant', (issueInstant) => ({ ...FACTS, issueInstant })],
    ['AuthnInstant', (authnInstant) => withStatement({ authnInstant })],
  ])('X10: accepts an assertion from %s minus the skew, to the millisecond', (_, begins) => {
    expect(assertionRejection(begins(NOW + SKEW), EXPECTED, NOW)).toBeUndefined();
    expect(assertionRejection(begins(NOW + SKEW + 1), EXPECTED, NOW)).toBe('not_yet_valid');
    expect(assertionRejection(begins(NOW), { ...EXPECTED, skewMillis: 0 }, NOW)).toBeUndefined();
    expect(assertionRejection(begins(NOW + 1), { ...EXPECTED, skewMillis: 0 }, NOW)).toBe('not_yet_valid');
  });

  it.each<readonly [string, (at: number) => AssertionFacts]>([
    ['NotOnOrAfter of the conditions', (notOnOrAfter) => withConditions({ notOnOrAfter })],
    ['NotOnOrAfter of the confirmation', (notOnOrAfter) => withConfirmation({ notOnOrAfter })],
  ])('X10: accepts an assertion until %s plus the skew, to the millisecond', (_, ends) => {
    expect(assertionRejection(ends(NOW - SKEW + 1), EXPECTED, NOW)).toBeUndefined();
    expect(assertionRejection(ends(NOW - SKEW), EXPECTED, NOW)).toBe('expired');
    expect(assertionRejection(ends(NOW + 1), { ...EXPECTED, skewMillis: 0 }, NOW)).toBeUndefined();
    expect(assertionRejection(ends(NOW), { ...EXPECTED, skewMillis: 0 }, NOW)).toBe('expired');
  });

  it('X10: rejects an assertion whose session has already ended, without skew', () => {
    const until = (sessionNotOnOrAfter: number) => withStatement({ sessionNotOnOrAfter });
    const second = NOW - (NOW % 1000);

    expect(assertionRejection(until(second + 1000), EXPECTED, second + 999)).toBeUndefined();
    expect(assertionRejection(until(second + 1000), EXPECTED, second + 1000)).toBe('expired');
    expect(assertionRejection(until(second + 999), EXPECTED, second)).toBe('expired');
  });

  it('X10: accepts an assertion until the maximum age plus the skew, to the millisecond', () => {
    const issued = (issueInstant: number) => ({ ...FACTS, issueInstant });

    expect(assertionRejection(issued(NOW - MAX_AGE - SKEW + 1), EXPECTED, NOW)).toBeUndefined();
    expect(assertionRejection(issued(NOW - MAX_AGE - SKEW), EXPECTED, NOW)).toBe('too_old');
  });

  it('accepts an AuthnInstant that is older than the assertion', () => {
    expect(assertionRejection(withStatement({ authnInstant: NOW - 86_400_000 }), EXPECTED, NOW)).toBeUndefined();
  });

  it('X10: accepts an assertion only between its begins and its ends, for all times', () => {
    const instant = fc.integer({ min: NOW - 2 * MAX_AGE, max: NOW + 2 * MAX_AGE });

    fc.assert(
      fc.property(instant, instant, instant, instant, (notBefore, notOnOrAfter, confirmed, sessionNotOnOrAfter) => {
        const facts = {
          ...withConditions({ notBefore, notOnOrAfter }),
          confirmation: { ...CONFIRMATION, notOnOrAfter: confirmed },
          authnStatement: { ...STATEMENT, sessionNotOnOrAfter },
        };
        const isLive = Math.floor(sessionNotOnOrAfter / 1000) > Math.floor(NOW / 1000);
        const isValid = isLive && notBefore - SKEW <= NOW && NOW < Math.min(notOnOrAfter, confirmed) + SKEW;

        expect(assertionRejection(facts, EXPECTED, NOW) === undefined).toBe(isValid);
      }),
    );
  });
});

describe('responseFault', () => {
  const RESPONSE: ResponseFacts = {
    id: '_response',
    issuer: ISSUER,
    destination: ACS_URL,
    inResponseTo: '_request',
    status: { isSuccess: true, reason: undefined },
    isSigned: false,
    isEncrypted: false,
  };

  it.each<readonly [string, Partial<ResponseFacts>, 'issuer' | undefined]>([
    ['signed', { isSigned: true }, 'issuer'],
    ['unsigned with an encrypted assertion', { isEncrypted: true }, 'issuer'],
    ['unsigned with a signed assertion', {}, undefined],
  ])(
    'S4: requires an Issuer of a signed response or encrypted assertion (SAML profiles 4.1.4.2): %s',
    (_, facts, problem) => {
      expect(responseRejection({ ...RESPONSE, ...facts, issuer: undefined }, EXPECTED)).toBe(problem);
      expect(responseRejection({ ...RESPONSE, ...facts }, EXPECTED)).toBeUndefined();
    },
  );

  it('accepts a response that states what is expected, with or without an Issuer', () => {
    expect(responseRejection(RESPONSE, EXPECTED)).toBeUndefined();
    expect(responseRejection({ ...RESPONSE, issuer: undefined }, EXPECTED)).toBeUndefined();
    expect(responseRejection({ ...RESPONSE, inResponseTo: undefined }, UNSOLICITED)).toBeUndefined();
  });

  it.each<readonly [string, Partial<ResponseFacts>, string]>([
    ['another issuer', { issuer: 'https://other.test' }, 'issuer'],
    ['another destination', { destination: 'https://other.test' }, 'destination'],
    ['no destination', { destination: undefined }, 'destination'],
    ['an empty destination', { destination: '' }, 'destination'],
    ['another request', { inResponseTo: '_other' }, 'in_response_to'],
    ['no request', { inResponseTo: undefined }, 'unsolicited'],
  ])('X7: rejects a response with %s', (_, facts, problem) => {
    expect(responseRejection({ ...RESPONSE, ...facts }, EXPECTED)).toBe(problem);
  });

  it('X8: rejects an unsolicited response that names a request', () => {
    expect(responseRejection(RESPONSE, UNSOLICITED)).toBe('in_response_to');
  });

  it('X17: rejects a response with a failure status', () => {
    expect(responseRejection({ ...RESPONSE, status: { isSuccess: false, reason: 'AuthnFailed' } }, EXPECTED)).toBe(
      'status',
    );
  });
});
