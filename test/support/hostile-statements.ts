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
    'a statement that is added afterwards',
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
    'a statement outside of the assertion',
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
  ['a name for one time', 'name_id', saying({ nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' })],
  [
    'an address',
    'name_id',
    saying({ nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress', nameId: 'admin@login.test' }),
  ],
  ['a name of no format', 'name_id', saying({ nameIdFormat: null })],
  ['no name', 'name_id', saying({ nameId: null })],
  ['an empty name', 'name_id', saying({ nameId: '' })],
  ['a name of blanks', 'name_id', saying({ nameId: ' \u3000' })],
  ['a name with a line end', 'name_id', asserting((xml) => replaced(xml, '>mallory<', '>mallory&#10;<'))],
  ['a name with a control character', 'name_id', saying({ nameId: 'mallory\u0080' })],
  [
    'two names',
    'name_id',
    asserting((xml) => replaced(xml, '<saml:NameID', '<saml:NameID>admin</saml:NameID><saml:NameID')),
  ],
  ['an element in the name', 'name_id', asserting((xml) => replaced(xml, '>mallory<', '>mall<x/>ory<'))],
  ['a name of 513 characters', 'name_id', saying({ nameId: 'a'.repeat(513) })],
  [
    'a qualifier that makes the name too long',
    'name_id',
    asserting((xml) => replaced(xml, '<saml:NameID', `<saml:NameID NameQualifier="${'q'.repeat(512)}"`)),
  ],
]);

/** X14 and X15: what an assertion says of the login and of the person. */
export const HOSTILE_STATEMENTS: readonly HostileResponse[] = [...STATEMENTS, ...NAMES];
