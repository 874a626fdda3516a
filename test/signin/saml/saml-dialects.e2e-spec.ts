import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { ResponseOptions } from '../../support/saml/saml-response.js';
import { encoded } from '../../support/saml/saml-messages.js';
import { MFA_CLASS, ROLES, staffStoryOn } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';

/** Changes to the assertion before signing, to the response around it, to the document and to the posted form. */
interface Dialect {
  readonly assertion?: (xml: string) => string;
  readonly response?: (xml: string) => string;
  readonly document?: (xml: string) => string;
  readonly form?: (base64: string) => string;
  readonly options?: Partial<ResponseOptions>;
}

/** Variants of a response that well-known identity providers send. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  'other prefixes': {
    assertion: (xml) => xml.replaceAll('saml:', 'saml2:').replaceAll(':saml=', ':saml2='),
    response: (xml) => xml.replaceAll('samlp:', 'saml2p:').replaceAll(':samlp=', ':saml2p='),
  },
  'an assertion without prefixes': {
    assertion: (xml) => xml.replaceAll('<saml:', '<').replaceAll('</saml:', '</').replaceAll('xmlns:saml=', 'xmlns='),
  },
  'line breaks and indentation between all elements': { assertion: indented, response: indentedAround },
  'an XML declaration': { document: (xml) => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}` },
  'carriage returns as character references in SignatureValue': {
    document: (xml) =>
      xml.replace(/(<ds:SignatureValue>)([^<]*)/, (_, tag: string, value: string) => tag + broken(value, '&#13;\n')),
  },
  'line breaks in base64': { form: (base64) => broken(base64, '\r\n') },
  'AttributeStatement before AuthnStatement': {
    assertion: (xml) =>
      xml.replace(
        /(<saml:AuthnStatement[^]*<\/saml:AuthnStatement>)(<saml:AttributeStatement[^]*<\/saml:AttributeStatement>)/,
        '$2$1',
      ),
  },
  'instants with seven decimal places': { assertion: (xml) => xml.replaceAll(/\.(\d{3})Z"/g, '.$10000Z"') },
  'instants without decimal places': { assertion: (xml) => xml.replaceAll(/\.000Z"/g, 'Z"') },
  'an Issuer with the entity format': {
    assertion: (xml) =>
      xml.replace('<saml:Issuer>', '<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">'),
  },
  'a NameID with qualifiers': {
    assertion: (xml) =>
      xml.replace('<saml:NameID ', '<saml:NameID NameQualifier="https://corp.idp.test/metadata" SPNameQualifier="us" '),
  },
  'the address of the browser': {
    assertion: (xml) =>
      xml
        .replace('<saml:SubjectConfirmationData ', '<saml:SubjectConfirmationData Address="192.0.2.7" ')
        .replace('<saml:AuthnContext>', '<saml:SubjectLocality Address="192.0.2.7"/><saml:AuthnContext>'),
  },
  'an AuthenticatingAuthority': {
    assertion: (xml) =>
      xml.replace(
        '</saml:AuthnContextClassRef>',
        '</saml:AuthnContextClassRef><saml:AuthenticatingAuthority>https://other.test</saml:AuthenticatingAuthority>',
      ),
  },
  'an attribute value that is an element': {
    assertion: (xml) =>
      xml.replace(
        '<saml:AttributeStatement>',
        '<saml:AttributeStatement><saml:Attribute Name="urn:oid:1.3.6.1.4.1.5923.1.1.1.10"><saml:AttributeValue>' +
          '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">x</saml:NameID>' +
          '</saml:AttributeValue></saml:Attribute>',
      ),
  },
  'attributes with a friendly name and an empty value': {
    assertion: (xml) =>
      xml.replace(
        '<saml:AttributeStatement>',
        '<saml:AttributeStatement><saml:Attribute Name="urn:test:title" FriendlyName="title"><saml:AttributeValue ' +
          'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></saml:Attribute>',
      ),
  },
  'a OneTimeUse condition': {
    assertion: (xml) => xml.replace('</saml:AudienceRestriction>', '</saml:AudienceRestriction><saml:OneTimeUse/>'),
  },
  'two restrictions to the same audience': {
    assertion: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/s, '$&$&'),
  },
  'a Consent and a StatusMessage': {
    response: (xml) =>
      xml
        .replace(' Version=', ' Consent="urn:oasis:names:tc:SAML:2.0:consent:unspecified" Version=')
        .replace('</samlp:Status>', '<samlp:StatusMessage>Authenticated</samlp:StatusMessage></samlp:Status>'),
  },
  'no SessionNotOnOrAfter': { options: { sessionNotOnOrAfter: null } },
  'SHA-512': { options: { signature: { algorithm: 'rsa-sha512', digest: 'sha512' } } },
};

onSqlite('variants of SAML responses', (engine) => {
  const staff = staffStoryOn(
    engine,
    { corp: { 'roles.attribute': ROLES, 'roles.map[R&D]': 'ROLE_RESEARCH' } },
    { people: 0 },
  );

  it('S4: an unsigned response without Issuer is accepted (SAML profiles 4.1.4.2)', async () => {
    const { answer } = await staff.signIn({ responseIssuer: null });

    expect(answer.status, (await staff.lastRejection()) ?? '').toBe(303);
  });

  describe.each(Object.entries(DIALECTS))('a response with %s', (_, dialect) => {
    it.each(['assertion', 'both'] as const)(
      'a response of this variant is accepted with signed: %s',
      async (signed) => {
        const client = staff.client();
        const request = await staff.depart(client);
        const xml = staff.response(request, {
          nameId: 'ada',
          authnContextClassRef: MFA_CLASS,
          attributes: { [ROLES]: ['R&D'] },
          signed,
          ...(dialect.assertion && { bendAssertion: changed(dialect.assertion) }),
          ...(dialect.response && { bendResponse: changed(dialect.response) }),
          ...dialect.options,
        });
        const document = dialect.document ? changed(dialect.document)(xml) : xml;
        const base64 = encoded(document);
        const form = { ...staff.posted(document, request), SAMLResponse: dialect.form?.(base64) ?? base64 };

        const answer = await staff.arrive(client, form);

        expect(answer.status, (await staff.lastRejection()) ?? '').toBe(303);
        expect(decodeJwt(await staff.accessToken(client))).toMatchObject({
          amr: ['pwd', 'otp'],
          roles: ['ROLE_RESEARCH'],
        });
      },
    );
  });
});

/** Fails when nothing is changed, so that no variant equals the plain response. */
function changed(change: (xml: string) => string): (xml: string) => string {
  return (xml) => {
    const other = change(xml);
    if (other === xml) throw new Error(`the dialect changes nothing in ${xml}`);
    return other;
  };
}

function indented(xml: string): string {
  return xml.replaceAll('><', '>\n  <');
}

/** Indents outside of the assertion, which is already signed. */
function indentedAround(xml: string): string {
  const [before = '', ...rest] = xml.split(new RegExp(`(?=<[a-z0-9:]*Assertion [^>]*${ASSERTION})`));
  return indented(before) + rest.join('').replace('</samlp:Response>', '\n</samlp:Response>');
}

function broken(text: string, end: string): string {
  return text.replaceAll(/.{1,76}/g, (line) => line + end);
}
