import { asserting, type HostileResponse, rebuilt, rowsOf, saying } from './hostile-scene.js';
import { NAMESPACE, part, replaced } from './saml-xml.js';

const CLASS =
  '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:MultiFactor</saml:AuthnContextClassRef>';

const STATEMENTS = rowsOf('X14', [
  [
    'two statements',
    'authn_statement',
    asserting((xml) =>
      replaced(xml, '</saml:AuthnStatement>', `</saml:AuthnStatement>${part(xml, 'saml:AuthnStatement')}`),
    ),
  ],
  [
    'a second statement with a stronger class',
    'authn_statement',
    asserting((xml) =>
      replaced(
        xml,
        '</saml:AuthnStatement>',
        `</saml:AuthnStatement>${part(xml, 'saml:AuthnStatement').replace(/classes:\w+/, 'classes:MultiFactor')}`,
      ),
    ),
  ],
  [
    'no statement',
    'authn_statement',
    asserting((xml) => replaced(xml, /<saml:AuthnStatement.*<\/saml:AuthnStatement>/s, '')),
  ],
  [
    'no context',
    'authn_statement',
    asserting((xml) => replaced(xml, /<saml:AuthnContext>.*<\/saml:AuthnContext>/s, '')),
  ],
  [
    'two contexts',
    'authn_statement',
    asserting((xml) =>
      replaced(xml, '</saml:AuthnContext>', `</saml:AuthnContext><saml:AuthnContext>${CLASS}</saml:AuthnContext>`),
    ),
  ],
  [
    'two classes',
    'authn_context',
    asserting((xml) => replaced(xml, '</saml:AuthnContext>', `${CLASS}</saml:AuthnContext>`)),
  ],
  [
    'an element in the class',
    'authn_context',
    asserting((xml) => replaced(xml, '</saml:AuthnContextClassRef>', '<x/></saml:AuthnContextClassRef>')),
  ],
  ['an empty class', 'authn_context', saying({ authnContextClassRef: '' })],
  ['a class of 256 characters', 'authn_context', saying({ authnContextClassRef: 'a'.repeat(256) })],
  [
    'a statement added after signing',
    'signature',
    rebuilt(({ response }) =>
      replaced(
        response,
        '</saml:Assertion>',
        `<saml:AuthnStatement AuthnInstant="2026-01-01T00:00:00Z"><saml:AuthnContext>${CLASS}</saml:AuthnContext></saml:AuthnStatement></saml:Assertion>`,
      ),
    ),
  ],
  [
    'a statement outside the assertion',
    'structure',
    rebuilt(({ response }) =>
      replaced(
        response,
        '</samlp:Response>',
        `<saml:AuthnStatement xmlns:saml="${NAMESPACE.assertion}" AuthnInstant="2026-01-01T00:00:00Z"><saml:AuthnContext>${CLASS}</saml:AuthnContext></saml:AuthnStatement></samlp:Response>`,
      ),
    ),
  ],
]);

const NAMES = rowsOf('X15', [
  ['a transient NameID', 'name_id', saying({ nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' })],
  [
    'an email address as NameID',
    'name_id',
    saying({ nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress', nameId: 'admin@login.test' }),
  ],
  ['a NameID without a format', 'name_id', saying({ nameIdFormat: null })],
  ['no NameID', 'name_id', saying({ nameId: null })],
  ['an empty NameID', 'name_id', saying({ nameId: '' })],
  ['a NameID of spaces', 'name_id', saying({ nameId: ' \u3000' })],
  ['a NameID with a line break', 'name_id', asserting((xml) => replaced(xml, '>mallory<', '>mallory&#10;<'))],
  ['a NameID with a control character', 'name_id', saying({ nameId: 'mallory\u0080' })],
  [
    'two NameIDs',
    'name_id',
    asserting((xml) => replaced(xml, '<saml:NameID', '<saml:NameID>admin</saml:NameID><saml:NameID')),
  ],
  ['an element in the NameID', 'name_id', asserting((xml) => replaced(xml, '>mallory<', '>mall<x/>ory<'))],
  ['a NameID of 513 characters', 'name_id', saying({ nameId: 'a'.repeat(513) })],
  [
    'a qualifier that makes the NameID too long',
    'name_id',
    asserting((xml) => replaced(xml, '<saml:NameID', `<saml:NameID NameQualifier="${'q'.repeat(512)}"`)),
  ],
]);

/** X14 and X15: statements about the login, and the NameID. */
export const HOSTILE_STATEMENTS: readonly HostileResponse[] = [...STATEMENTS, ...NAMES];
