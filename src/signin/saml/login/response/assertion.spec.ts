import { SAML } from '@node-saml/node-saml';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../../../../test/support/saml/identity-provider.js';
import { encoded } from '../../../../../test/support/saml/saml-messages.js';
import type { ResponseOptions } from '../../../../../test/support/saml/saml-response.js';
import { readAssertion } from './assertion.js';

const NOW = Date.UTC(2026, 10, 21, 9);
const MINUTE = 60_000;
const ACS_URL = 'https://login.test/saml/staff/acs';
const AUDIENCE = 'https://login.test/saml/staff/metadata';
const CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const ANSWER: ResponseOptions = {
  acsUrl: ACS_URL,
  audience: AUDIENCE,
  inResponseTo: '_request',
  assertionId: '_honest',
  sessionIndex: '_session',
  attributes: { mail: 'a@b.test', groups: ['one', 'two & three', ''] },
};

describe('readAssertion', () => {
  let idp: IdentityProvider;
  let honest: string;

  beforeAll(() => {
    idp = IdentityProvider.make();
    honest = idp.assertion({ ...ANSWER, now: NOW });
  });

  it('returns every fact of an assertion', () => {
    expect(readAssertion(honest)).toEqual({
      id: '_honest',
      issuer: idp.entityId,
      issueInstant: NOW,
      nameId: {
        value: 'staff-1',
        format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        nameQualifier: undefined,
        spNameQualifier: undefined,
      },
      confirmation: {
        recipient: ACS_URL,
        inResponseTo: '_request',
        notBefore: undefined,
        notOnOrAfter: NOW + 5 * MINUTE,
      },
      conditions: { notBefore: NOW, notOnOrAfter: NOW + 5 * MINUTE, audienceRestrictions: [[AUDIENCE]] },
      authnStatement: {
        authnInstant: NOW,
        sessionIndex: '_session',
        sessionNotOnOrAfter: NOW + 480 * MINUTE,
        authnContextClassRef: CLASS,
      },
      attributes: new Map([
        ['mail', ['a@b.test']],
        ['groups', ['one', 'two & three', '']],
      ]),
    });
  });

  it.each(['assertion', 'response', 'both'] as const)(
    'X1: reads the text that the library verified, if the signature covers: %s',
    async (signed) => {
      const verifier = new SAML({
        callbackUrl: ACS_URL,
        issuer: AUDIENCE,
        idpCert: idp.certificate,
        wantAssertionsSigned: signed !== 'response',
        wantAuthnResponseSigned: signed !== 'assertion',
      });
      const response = idp.response({ ...ANSWER, nameId: 'a"<&>\'ü', signed });

      const { profile } = await verifier.validatePostResponseAsync({ SAMLResponse: encoded(response) });

      expect(readAssertion(profile?.getAssertionXml?.() ?? '')).toMatchObject({
        id: '_honest',
        nameId: { value: 'a"<&>\'ü' },
        authnStatement: { authnContextClassRef: CLASS },
      });
    },
  );

  const bent = (from: string | RegExp, to: string) => {
    const xml = honest.replace(from, to);
    expect(xml).not.toBe(honest);
    return readAssertion(xml);
  };

  it('keeps the spaces of a NameID', () => {
    expect(bent('>staff-1<', '> staff &#32;1 <')).toMatchObject({ nameId: { value: ' staff  1 ' } });
  });

  it('returns the qualifiers of a NameID', () => {
    expect(bent('<saml:NameID ', '<saml:NameID NameQualifier="q" SPNameQualifier="s" ')).toMatchObject({
      nameId: { nameQualifier: 'q', spNameQualifier: 's' },
    });
  });

  it('accepts a Subject without a NameID', () => {
    expect(bent(/<saml:NameID.*<\/saml:NameID>/, '')).toMatchObject({ nameId: undefined });
  });

  it('X6: rejects a comment and CDATA in a NameID', () => {
    expect(bent('>staff-1<', '>admin<!-- -->.evil<')).toBe('markup');
    expect(bent('>staff-1<', '>admin<![CDATA[.evil]]><')).toBe('markup');
  });

  it.each([
    ['no characters', '><'],
    ['only spaces', '>  <'],
    ['a line break', '>staff\n1<'],
    ['a control character', '>staff&#127;1<'],
    ['an element', '>staff-1<x/><'],
    ['513 characters', `>${'a'.repeat(513)}<`],
  ])('rejects a NameID with %s', (_, text) => {
    expect(bent('>staff-1<', text)).toBe('name_id');
  });

  it('rejects two NameIDs', () => {
    expect(bent('<saml:NameID', '<saml:NameID>admin</saml:NameID><saml:NameID')).toBe('name_id');
  });

  it('accepts a NameID of 512 characters', () => {
    expect(bent('>staff-1<', `>${'a'.repeat(512)}<`)).toMatchObject({ nameId: { value: 'a'.repeat(512) } });
  });

  it.each([
    [
      'another Format of the Issuer',
      '<saml:Issuer>',
      '<saml:Issuer Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">',
    ],
    ['an element in the Issuer', '</saml:Issuer>', '<x/></saml:Issuer>'],
  ])('X7: rejects %s', (_, from, to) => {
    expect(bent(from, to)).toBe('issuer');
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no ID', 'ID="_honest"', ''],
    ['another version', 'Version="2.0"', 'Version="1.1"'],
    ['no version', 'Version="2.0"', ''],
    ['no IssueInstant', / IssueInstant="[^"]*"/, ''],
    ['an IssueInstant in another time zone', /IssueInstant="([^"]*)Z"/, 'IssueInstant="$1+01:00"'],
  ])('rejects an assertion with %s', (_, from, to) => {
    const unsigned = idp.assertion({ ...ANSWER, signed: 'none' });

    expect(readAssertion(unsigned)).toMatchObject({ id: '_honest' });
    expect(readAssertion(unsigned.replace(from, to))).toBe('structure');
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no Subject', /<saml:Subject>.*<\/saml:Subject>/, ''],
    ['no Conditions', /<saml:Conditions.*<\/saml:Conditions>/, ''],
    [
      'an unknown condition',
      '</saml:Conditions>',
      '<saml:Condition xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x"/></saml:Conditions>',
    ],
    ['a condition in another namespace', '</saml:Conditions>', '<OneTimeUse xmlns="x"/></saml:Conditions>'],
    ['Conditions with an invalid NotBefore', /Conditions NotBefore="[^"]*"/, 'Conditions NotBefore="now"'],
    ['Conditions with an invalid NotOnOrAfter', /(Conditions [^>]*NotOnOrAfter=)"[^"]*"/, '$1"never"'],
    ['an attribute without a name', 'Name="mail"', ''],
  ])('rejects an assertion with %s', (_, from, to) => {
    expect(bent(from, to)).toBe('structure');
  });

  it('accepts OneTimeUse and ProxyRestriction', () => {
    expect(
      bent('</saml:Conditions>', '<saml:OneTimeUse/><saml:ProxyRestriction Count="0"/></saml:Conditions>'),
    ).toMatchObject({
      conditions: { audienceRestrictions: [[AUDIENCE]] },
    });
  });

  it('X7: returns each AudienceRestriction separately', () => {
    const second =
      '<saml:AudienceRestriction><saml:Audience>a</saml:Audience><saml:Audience>b</saml:Audience></saml:AudienceRestriction>';

    expect(bent('</saml:Conditions>', `${second}</saml:Conditions>`)).toMatchObject({
      conditions: { audienceRestrictions: [[AUDIENCE], ['a', 'b']] },
    });
  });

  it.each([
    ['no audience', ''],
    ['an element in place of an audience', '<saml:Audience><x/></saml:Audience>'],
    ['an audience and one in another namespace', '<saml:Audience>a</saml:Audience><Audience xmlns="x">b</Audience>'],
    ['an audience in another namespace', '<Audience xmlns="x">a</Audience>'],
  ])('X7: rejects an AudienceRestriction with %s', (_, audience) => {
    expect(bent(/<saml:Audience>.*<\/saml:Audience>/, audience)).toBe('audience');
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no confirmation', /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, ''],
    ['another method', 'cm:bearer', 'cm:holder-of-key'],
    ['a method in another case', 'cm:bearer', 'cm:Bearer'],
    ['two bearer confirmations', /(<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>)/, '$1$1'],
    ['no data', /<saml:SubjectConfirmationData[^>]*\/>/, ''],
    ['two data elements', /(<saml:SubjectConfirmationData[^>]*\/>)/, '$1$1'],
    [
      'a NameID in the confirmation',
      '<saml:SubjectConfirmationData',
      '<saml:NameID>admin</saml:NameID><saml:SubjectConfirmationData',
    ],
    ['an invalid NotOnOrAfter', /(ConfirmationData NotOnOrAfter=)"[^"]*"/, '$1"never"'],
    ['an invalid NotBefore', '<saml:SubjectConfirmationData', '<saml:SubjectConfirmationData NotBefore="now"'],
  ])('X10: rejects a Subject with %s', (_, from, to) => {
    expect(bent(from, to)).toBe('confirmation');
  });

  it('finds the bearer confirmation among others', () => {
    const other = '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/>';

    expect(bent('<saml:SubjectConfirmation ', `${other}<saml:SubjectConfirmation `)).toMatchObject({
      confirmation: { recipient: ACS_URL },
    });
  });

  it('returns NotBefore of the confirmation', () => {
    expect(
      bent('<saml:SubjectConfirmationData', '<saml:SubjectConfirmationData NotBefore="2026-11-21T09:00:00Z"'),
    ).toMatchObject({
      confirmation: { notBefore: NOW },
    });
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['no AuthnStatement', /<saml:AuthnStatement.*<\/saml:AuthnStatement>/, ''],
    ['two AuthnStatements', /(<saml:AuthnStatement.*<\/saml:AuthnStatement>)/, '$1$1'],
    ['no AuthnContext', /<saml:AuthnContext>.*<\/saml:AuthnContext>/, ''],
    ['two AuthnContexts', /(<saml:AuthnContext>.*<\/saml:AuthnContext>)/, '$1$1'],
    ['no AuthnInstant', / AuthnInstant="[^"]*"/, ''],
    ['an invalid AuthnInstant', /AuthnInstant="[^"]*"/, 'AuthnInstant="now"'],
    ['an invalid SessionNotOnOrAfter', /SessionNotOnOrAfter="[^"]*"/, 'SessionNotOnOrAfter="never"'],
    ['an empty SessionIndex', 'SessionIndex="_session"', 'SessionIndex=""'],
    ['a SessionIndex of 256 characters', 'SessionIndex="_session"', `SessionIndex="${'a'.repeat(256)}"`],
  ])('X14: rejects %s', (_, from, to) => {
    expect(bent(from, to)).toBe('authn_statement');
  });

  it.each<readonly [string, string | RegExp, string]>([
    ['two classes', /(<saml:AuthnContextClassRef>.*<\/saml:AuthnContextClassRef>)/, '$1$1'],
    ['an empty class', /(<saml:AuthnContextClassRef>).*(<\/saml:AuthnContextClassRef>)/, '$1$2'],
    ['a class with an element', '</saml:AuthnContextClassRef>', '<x/></saml:AuthnContextClassRef>'],
    ['a class of 256 characters', CLASS, 'a'.repeat(256)],
    ['a class with a line break', CLASS, `${CLASS}\nMultiFactor`],
  ])('X14: rejects %s', (_, from, to) => {
    expect(bent(from, to)).toBe('authn_context');
  });

  it('X14: returns no class if the context has only a declaration', () => {
    expect(
      bent(
        /<saml:AuthnContextClassRef>.*<\/saml:AuthnContextClassRef>/,
        '<saml:AuthnContextDecl>x</saml:AuthnContextDecl>',
      ),
    ).toMatchObject({
      authnStatement: { authnContextClassRef: undefined },
    });
  });

  it('X14: keeps the spaces around a class', () => {
    expect(bent(CLASS, ` ${CLASS} `)).toMatchObject({ authnStatement: { authnContextClassRef: ` ${CLASS} ` } });
  });

  it('joins the values of one attribute name and omits values that contain elements', () => {
    const more =
      '<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue><x/></saml:AttributeValue><saml:AttributeValue>c</saml:AttributeValue></saml:Attribute><saml:Attribute Name="none"/></saml:AttributeStatement>';
    const read = bent('</saml:Assertion>', `${more}</saml:Assertion>`);

    expect(read).toMatchObject({
      attributes: new Map([
        ['mail', ['a@b.test', 'c']],
        ['groups', ['one', 'two & three', '']],
        ['none', []],
      ]),
    });
  });

  it('accepts an attribute named __proto__', () => {
    expect(bent('Name="mail"', 'Name="__proto__"')).toMatchObject({
      nameId: { value: 'staff-1' },
      attributes: new Map([
        ['__proto__', ['a@b.test']],
        ['groups', ['one', 'two & three', '']],
      ]),
    });
  });

  it('X13: rejects a response, two assertions and an empty text', () => {
    expect(readAssertion(idp.response(ANSWER))).toBe('structure');
    expect(readAssertion(honest + honest)).toBe('structure');
    expect(readAssertion('')).toBe('not_well_formed');
  });
});
