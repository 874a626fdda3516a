import { beforeAll, describe, expect, it } from 'vitest';
import { logoutRequestXml as requestOf, logoutResponseXml as responseOf } from '../../../test/support/saml-logout.js';
import type { LogoutRequestOptions, LogoutResponseOptions } from '../../../test/support/saml-logout.js';
import type { NameId } from '../login/assertion.js';
import { type DocumentRoot, readDocument } from '../xml/document-allowlist.js';
import {
  expiryOfRequest,
  isSameName,
  logoutFault,
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
  const xml = responseOf(IDP, '_response', { url: SLO_URL, now: NOW, inResponseTo: '_asked', ...bent });
  return readLogoutResponse(documentOf(xml, 'LogoutResponse'));
}

describe('a request for a logout', () => {
  it('says whom it means, which sessions, and until when', () => {
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
    ['structure', 'no instant', (xml: string) => xml.replace(/ IssueInstant="[^"]*"/, '')],
    ['structure', 'an instant of no zone', (xml: string) => xml.replace(/(IssueInstant="[^"]*)Z"/, '$1"')],
    ['structure', 'an end that is none', (xml: string) => xml.replace(/NotOnOrAfter="[^"]*"/, 'NotOnOrAfter="later"')],
    ['structure', 'an empty index', (xml: string) => xml.replace('>one<', '><')],
    ['structure', 'an index of markup', (xml: string) => xml.replace('>one<', '><samlp:x/>one<')],
    [
      'issuer',
      'an issuer of another kind',
      (xml: string) => xml.replace('<saml:Issuer', '<saml:Issuer Format="urn:x"'),
    ],
    ['name_id', 'an empty name', (xml: string) => xml.replace('>ada<', '> <')],
    ['name_id', 'a name of markup', (xml: string) => xml.replace('>ada<', '><saml:x/>ada<')],
    [
      'name_id',
      'an encrypted name',
      (xml: string) =>
        xml.replace(
          /<saml:NameID[^]*<\/saml:NameID>/,
          '<saml:EncryptedID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>',
        ),
    ],
  ])('is refused (%s) with %s', (reason, _, bend) => {
    expect(request({ sessionIndexes: ['one'] }, bend)).toBe(reason);
  });
});

describe('an answer to one', () => {
  it('says what it answers and how it went', () => {
    expect(response()).toEqual({
      kind: 'response',
      id: '_response',
      issuer: IDP,
      destination: SLO_URL,
      issueInstant: NOW,
      inResponseTo: '_asked',
      status: { isSuccess: true, reason: undefined },
    });
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    expect(response({ status, inResponseTo: null })).toMatchObject({
      inResponseTo: undefined,
      status: { isSuccess: false, reason: 'Responder' },
    });
  });

  it('must say whose it is', () => {
    expect(response({ issuer: null })).toBe('issuer');
  });
});

describe('a message of a logout', () => {
  const EXPECTED = { issuer: IDP, destination: SLO_URL, skewMillis: 60_000, maxAgeMillis: 300_000 };
  let asked: LogoutRequestFacts;
  let answered: LogoutResponseFacts;

  beforeAll(() => {
    const [first, second] = [request({ notOnOrAfter: null }), response()];
    if (isRejection(first) || isRejection(second)) throw new Error('refused');
    [asked, answered] = [first, second];
  });

  it.each([
    ['counts', undefined, {}, 0],
    ['counts at the edge of the skew', undefined, {}, -60_000],
    ['is not yet valid a millisecond before it', 'not_yet_valid', {}, -60_001],
    ['counts to the end of its age and the skew', undefined, {}, 359_999],
    ['is too old then', 'too_old', {}, 360_000],
    ['is of another', 'issuer', { issuer: `${IDP}/` }, 0],
    ['is for another', 'destination', { destination: `${SLO_URL}/` }, 0],
    ['is for nobody', 'destination', { destination: undefined }, 0],
  ] as const)('%s', (_, fault, bent, later) => {
    expect(logoutFault({ ...asked, ...bent }, EXPECTED, NOW + later)).toBe(fault);
    expect(logoutFault({ ...answered, ...bent }, EXPECTED, NOW + later)).toBe(fault);
  });

  it('has an end where it says so', () => {
    const short = { ...asked, notOnOrAfter: NOW + 1000 };

    expect(logoutFault(short, EXPECTED, NOW + 60_999)).toBeUndefined();
    expect(logoutFault(short, EXPECTED, NOW + 61_000)).toBe('expired');
    expect(expiryOfRequest(short, EXPECTED)).toBe(NOW + 61_000);
    expect(expiryOfRequest(asked, EXPECTED)).toBe(NOW + 360_000);
  });
});

describe('a name in a request', () => {
  const KNOWN: NameId = { value: 'ada', format: PERSISTENT, nameQualifier: undefined, spNameQualifier: 'sp' };
  const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

  it.each([
    [true, 'the same', {}],
    [true, 'without its format', { format: undefined }],
    [true, 'with a format that says nothing', { format: UNSPECIFIED }],
    [true, 'without the qualifier of the service', { spNameQualifier: undefined }],
    [true, 'with the qualifier that goes without saying', { nameQualifier: IDP }],
    [false, 'in other letters', { value: 'Ada' }],
    [false, 'with a blank', { value: 'ada ' }],
    [false, 'of another format', { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }],
    [false, 'of another namespace', { nameQualifier: 'https://other.test' }],
    [false, 'for another service', { spNameQualifier: 'other' }],
  ])('is the known one: %s, where it is %s', (isSame, _, bent) => {
    expect(isSameName(KNOWN, { ...KNOWN, ...bent }, IDP)).toBe(isSame);
  });

  it('of another namespace is not meant by one that leaves it out', () => {
    const foreign = { ...KNOWN, nameQualifier: 'https://other.test' };

    expect(isSameName(foreign, KNOWN, IDP)).toBe(false);
    expect(isSameName(foreign, foreign, IDP)).toBe(true);
  });
});

describe('a message of ours', () => {
  const head = { id: '_ours', issuer: 'urn:sp?a&b', destination: 'https://idp.test/slo?a=1&b=2', now: NOW };

  it('names the session as it was received, whatever stands in its name', () => {
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

  it('leaves out what was not received', () => {
    const nameId = { value: 'ada', format: undefined, nameQualifier: undefined, spNameQualifier: undefined };

    const xml = logoutRequestXml(head, { nameId });

    expect(xml).toContain('<saml:NameID>ada</saml:NameID></samlp:LogoutRequest>');
  });

  it('says that it is done', () => {
    const xml = logoutResponseXml(head, '_a"b');

    expect(readLogoutResponse(documentOf(xml, 'LogoutResponse'))).toMatchObject({
      issuer: head.issuer,
      destination: head.destination,
      inResponseTo: '_a"b',
      status: { isSuccess: true },
    });
  });
});
