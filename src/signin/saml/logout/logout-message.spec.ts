import { beforeAll, describe, expect, it } from 'vitest';
import {
  logoutRequestXml as requestOf,
  logoutResponseXml as responseOf,
} from '../../../../test/support/saml/saml-logout.js';
import type { LogoutRequestOptions, LogoutResponseOptions } from '../../../../test/support/saml/saml-logout.js';
import type { NameId } from '../login/response/assertion.js';
import { type DocumentRoot, readDocument } from '../xml/document-allowlist.js';
import {
  expiryOfRequest,
  isSameName,
  logoutRejection,
  type LogoutRequestFacts,
  type LogoutResponseFacts,
  readLogoutRequest,
  readLogoutResponse,
} from './logout-message.js';
import { logoutRequestXml, logoutResponseXml } from './logout-xml.js';
import type { XmlElement } from '../xml/xml-reader.js';
import { isRejection } from '../login/rejection.js';

const IDP = 'https://idp.test/metadata';
const SLO_URL = 'https://login.test/saml/corp/slo';
const NOW = 1_800_000_000_000;
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

function documentOf(xml: string, root: DocumentRoot): XmlElement {
  const document = readDocument(xml, root);
  if (isRejection(document)) throw new Error(document);
  return document;
}

function request(bent: Partial<LogoutRequestOptions> = {}, bend = (xml: string): string => xml) {
  const xml = requestOf(IDP, '_request', { url: SLO_URL, now: NOW, nameId: 'ada', ...bent });
  return readLogoutRequest(documentOf(bend(xml), 'LogoutRequest'));
}

function response(bent: Partial<LogoutResponseOptions> = {}) {
  const xml = responseOf(IDP, '_response', { url: SLO_URL, now: NOW, inResponseTo: '_request', ...bent });
  return readLogoutResponse(documentOf(xml, 'LogoutResponse'));
}

describe('a LogoutRequest', () => {
  it('is read with its NameID, session indexes and end', () => {
    expect(request({ sessionIndexes: ['one', 'two'], notOnOrAfter: NOW + 1 })).toEqual({
      kind: 'request',
      id: '_request',
      issuer: IDP,
      destination: SLO_URL,
      issueInstant: NOW,
      nameId: { value: 'ada', format: PERSISTENT },
      sessionIndexes: ['one', 'two'],
      notOnOrAfter: NOW + 1,
    });
    expect(request({ notOnOrAfter: null })).toMatchObject({ sessionIndexes: [] });
  });

  it.each([
    ['structure', 'another version', (xml: string) => xml.replace('Version="2.0"', 'Version="1.1"')],
    ['structure', 'no ID', (xml: string) => xml.replace(/ ID="[^"]*"/, '')],
    ['structure', 'no IssueInstant', (xml: string) => xml.replace(/ IssueInstant="[^"]*"/, '')],
    ['structure', 'an instant without a time zone', (xml: string) => xml.replace(/(IssueInstant="[^"]*)Z"/, '$1"')],
    [
      'structure',
      'an invalid NotOnOrAfter',
      (xml: string) => xml.replace(/NotOnOrAfter="[^"]*"/, 'NotOnOrAfter="later"'),
    ],
    ['structure', 'an empty session index', (xml: string) => xml.replace('>one<', '><')],
    ['structure', 'a session index that contains an element', (xml: string) => xml.replace('>one<', '><samlp:x/>one<')],
    [
      'issuer',
      'an Issuer of another format',
      (xml: string) => xml.replace('<saml:Issuer', '<saml:Issuer Format="urn:x"'),
    ],
    ['name_id', 'an empty NameID', (xml: string) => xml.replace('>ada<', '> <')],
    ['name_id', 'a NameID that contains an element', (xml: string) => xml.replace('>ada<', '><saml:x/>ada<')],
    [
      'name_id',
      'an encrypted NameID',
      (xml: string) =>
        xml.replace(
          /<saml:NameID[^]*<\/saml:NameID>/,
          '<saml:EncryptedID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>',
        ),
    ],
  ])('is rejected as %s with %s', (reason, _, bend) => {
    expect(request({ sessionIndexes: ['one'] }, bend)).toBe(reason);
  });
});

describe('a LogoutResponse', () => {
  it('is read with InResponseTo and status', () => {
    expect(response()).toEqual({
      kind: 'response',
      id: '_response',
      issuer: IDP,
      destination: SLO_URL,
      issueInstant: NOW,
      inResponseTo: '_request',
      status: { isSuccess: true, reason: undefined },
    });
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    expect(response({ status, inResponseTo: null })).toMatchObject({
      inResponseTo: undefined,
      status: { isSuccess: false, reason: 'Responder' },
    });
  });

  it('is rejected without an Issuer', () => {
    expect(response({ issuer: null })).toBe('issuer');
  });
});

describe('the validity of a logout message', () => {
  const EXPECTED = { issuer: IDP, destination: SLO_URL, skewMillis: 60_000, maxAgeMillis: 300_000 };
  let logoutRequest: LogoutRequestFacts;
  let logoutResponse: LogoutResponseFacts;

  beforeAll(() => {
    const [first, second] = [request({ notOnOrAfter: null }), response()];
    if (isRejection(first) || isRejection(second)) throw new Error('rejected');
    [logoutRequest, logoutResponse] = [first, second];
  });

  it.each([
    ['holds at IssueInstant', undefined, {}, 0],
    ['holds at the edge of the skew', undefined, {}, -60_000],
    ['does not hold a millisecond earlier', 'not_yet_valid', {}, -60_001],
    ['holds until the maximum age plus the skew', undefined, {}, 359_999],
    ['ends at the maximum age plus the skew', 'too_old', {}, 360_000],
    ['does not hold for another issuer', 'issuer', { issuer: `${IDP}/` }, 0],
    ['does not hold for another destination', 'destination', { destination: `${SLO_URL}/` }, 0],
    ['does not hold without a destination', 'destination', { destination: undefined }, 0],
  ] as const)('%s', (_, problem, bent, later) => {
    expect(logoutRejection({ ...logoutRequest, ...bent }, EXPECTED, NOW + later)).toBe(problem);
    expect(logoutRejection({ ...logoutResponse, ...bent }, EXPECTED, NOW + later)).toBe(problem);
  });

  it('ends at NotOnOrAfter plus the skew if that is earlier', () => {
    const short = { ...logoutRequest, notOnOrAfter: NOW + 1000 };

    expect(logoutRejection(short, EXPECTED, NOW + 60_999)).toBeUndefined();
    expect(logoutRejection(short, EXPECTED, NOW + 61_000)).toBe('expired');
    expect(expiryOfRequest(short, EXPECTED)).toBe(NOW + 61_000);
    expect(expiryOfRequest(logoutRequest, EXPECTED)).toBe(NOW + 360_000);
  });
});

describe('the NameID of a LogoutRequest', () => {
  const KNOWN: NameId = { value: 'ada', format: PERSISTENT, nameQualifier: undefined, spNameQualifier: 'sp' };
  const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

  it.each([
    [true, 'unchanged', {}],
    [true, 'without its format', { format: undefined }],
    [true, 'with the format unspecified', { format: UNSPECIFIED }],
    [true, 'without SPNameQualifier', { spNameQualifier: undefined }],
    [true, 'with the issuer as NameQualifier', { nameQualifier: IDP }],
    [false, 'in another case', { value: 'Ada' }],
    [false, 'with a trailing space', { value: 'ada ' }],
    [false, 'of another format', { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }],
    [false, 'with another NameQualifier', { nameQualifier: 'https://other.test' }],
    [false, 'with another SPNameQualifier', { spNameQualifier: 'other' }],
  ])('matches that of the login: %s, if it is %s', (isSame, _, bent) => {
    expect(isSameName(KNOWN, { ...KNOWN, ...bent }, IDP)).toBe(isSame);
  });

  it('does not match a NameID with another NameQualifier if it has none', () => {
    const foreign = { ...KNOWN, nameQualifier: 'https://other.test' };

    expect(isSameName(foreign, KNOWN, IDP)).toBe(false);
    expect(isSameName(foreign, foreign, IDP)).toBe(true);
  });
});

describe('a logout message of this service', () => {
  const head = { id: '_ours', issuer: 'urn:sp?a&b', destination: 'https://idp.test/slo?a=1&b=2', now: NOW };

  it('repeats NameID and session index exactly, with every special character', () => {
    const nameId = {
      value: `<a> & "b" ]]> \u{1f600}`,
      format: 'urn:x',
      nameQualifier: 'a\tb\n"c"',
      spNameQualifier: "'",
    };

    const xml = logoutRequestXml(head, { nameId, sessionIndex: ' <1> ' });

    expect(readLogoutRequest(documentOf(xml, 'LogoutRequest'))).toEqual({
      kind: 'request',
      id: '_ours',
      issuer: head.issuer,
      destination: head.destination,
      issueInstant: NOW,
      nameId,
      sessionIndexes: [' <1> '],
      notOnOrAfter: NOW + 300_000,
    });
  });

  it('omits qualifiers and a session index that were not received', () => {
    const nameId = { value: 'ada', format: undefined, nameQualifier: undefined, spNameQualifier: undefined };

    const xml = logoutRequestXml(head, { nameId });

    expect(xml).toContain('<saml:NameID>ada</saml:NameID></samlp:LogoutRequest>');
  });

  it('a LogoutResponse states success', () => {
    const xml = logoutResponseXml(head, '_a"b');

    expect(readLogoutResponse(documentOf(xml, 'LogoutResponse'))).toMatchObject({
      issuer: head.issuer,
      destination: head.destination,
      inResponseTo: '_a"b',
      status: { isSuccess: true },
    });
  });
});
