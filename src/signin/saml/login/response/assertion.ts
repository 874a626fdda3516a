import { readDocument } from '../../xml/document-allowlist.js';
import { millisOfInstant, NAMESPACE } from '../../xml/saml-values.js';
import type { XmlElement } from '../../xml/xml-reader.js';
import { isRejection, type SamlRejection } from '../rejection.js';

/** The facts of an assertion; all instants are milliseconds since 1970. */
export interface AssertionFacts {
  readonly id: string;
  readonly issuer: string;
  readonly issueInstant: number;
  /** Undefined if the subject has no NameID, or an encrypted one. */
  readonly nameId: NameId | undefined;
  readonly confirmation: Confirmation;
  readonly conditions: Conditions;
  readonly authnStatement: AuthnStatement;
  /** Text values by attribute name. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export interface NameId {
  readonly value: string;
  readonly format: string | undefined;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
}

/** The one bearer confirmation (SAML profiles 4.1.4.2). */
interface Confirmation {
  readonly recipient: string | undefined;
  readonly inResponseTo: string | undefined;
  /** The profile has none for a bearer, but some identity providers send it; then it is enforced. */
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
}

interface Conditions {
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
  /** The audiences of each restriction; all restrictions must hold (SAML core 2.5.1.4). */
  readonly audienceRestrictions: readonly (readonly string[])[];
}

interface AuthnStatement {
  readonly authnInstant: number;
  readonly sessionIndex: string | undefined;
  readonly sessionNotOnOrAfter: number | undefined;
  /** Undefined if the context has only a declaration. */
  readonly authnContextClassRef: string | undefined;
}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const ENTITY = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
const MAX_NAME_LENGTH = 512;
const MAX_SESSION_INDEX_LENGTH = 255;
const MAX_CLASS_LENGTH = 255;
const CONTROL = /\p{Cc}/u;

/** Reads the signed text of an assertion; everything ambiguous is rejected. */
export function readAssertion(signedXml: string): AssertionFacts | SamlRejection {
  const assertion = readDocument(signedXml, 'Assertion');
  if (isRejection(assertion)) return assertion;
  const id = assertion.attributes.get('ID');
  const issueInstant = instant(assertion, 'IssueInstant');
  if (assertion.attributes.get('Version') !== '2.0' || id === undefined) return 'structure';
  if (issueInstant === undefined || isRejection(issueInstant)) return 'structure';

  const issuer = issuerOf(assertion);
  if (issuer === undefined) return 'issuer';
  const subject = only(assertion, 'Subject');
  if (subject === undefined) return 'structure';
  const nameId = nameIdOf(subject);
  if (isRejection(nameId)) return nameId;
  const confirmation = confirmationOf(subject);
  if (isRejection(confirmation)) return confirmation;
  const conditions = conditionsOf(assertion);
  if (isRejection(conditions)) return conditions;
  const authnStatement = authnStatementOf(assertion);
  if (isRejection(authnStatement)) return authnStatement;
  const attributes = attributesOf(assertion);
  if (isRejection(attributes)) return attributes;
  return { id, issuer, issueInstant, nameId, confirmation, conditions, authnStatement, attributes };
}

/** The text of the one Issuer, if it names an entity (SAML profiles 4.1.4.2). */
export function issuerOf(element: XmlElement): string | undefined {
  const issuer = only(element, 'Issuer');
  if (issuer === undefined || (issuer.attributes.get('Format') ?? ENTITY) !== ENTITY) return undefined;
  return textOf(issuer);
}

/** The one NameID directly in a Subject or a LogoutRequest; undefined if there is none. */
export function nameIdOf(subject: XmlElement): NameId | SamlRejection | undefined {
  const [element, ...others] = all(subject, 'NameID');
  if (element === undefined) return undefined;
  if (others.length > 0) return 'name_id';
  const value = textOf(element);
  if (value === undefined || value.length > MAX_NAME_LENGTH || CONTROL.test(value) || value.trim() === '')
    return 'name_id';
  const { attributes } = element;
  return {
    value,
    format: attributes.get('Format'),
    nameQualifier: attributes.get('NameQualifier'),
    spNameQualifier: attributes.get('SPNameQualifier'),
  };
}

function confirmationOf(subject: XmlElement): Confirmation | SamlRejection {
  const bearers = all(subject, 'SubjectConfirmation').filter(({ attributes }) => attributes.get('Method') === BEARER);
  const [bearer, ...others] = bearers;
  if (bearer === undefined || others.length > 0) return 'confirmation';
  const data = only(bearer, 'SubjectConfirmationData');
  // An identifier beside the data names another entity that may present the assertion (SAML core 2.4.1.1).
  if (data === undefined || bearer.children.length > 1) return 'confirmation';
  const [notBefore, notOnOrAfter] = [instant(data, 'NotBefore'), instant(data, 'NotOnOrAfter')];
  if (isRejection(notBefore) || isRejection(notOnOrAfter)) return 'confirmation';
  const { attributes } = data;
  return {
    recipient: attributes.get('Recipient'),
    inResponseTo: attributes.get('InResponseTo'),
    notBefore,
    notOnOrAfter,
  };
}

/** An assertion with an unknown condition is invalid (SAML core 2.5.1.1). */
function conditionsOf(assertion: XmlElement): Conditions | SamlRejection {
  const conditions = only(assertion, 'Conditions');
  if (conditions === undefined) return 'structure';
  const restrictions = all(conditions, 'AudienceRestriction');
  const harmless = [...all(conditions, 'OneTimeUse'), ...all(conditions, 'ProxyRestriction')];
  if (conditions.children.length !== restrictions.length + harmless.length) return 'structure';
  const [notBefore, notOnOrAfter] = [instant(conditions, 'NotBefore'), instant(conditions, 'NotOnOrAfter')];
  if (isRejection(notBefore) || isRejection(notOnOrAfter)) return 'structure';
  const audienceRestrictions: string[][] = [];
  for (const restriction of restrictions) {
    const audiences = all(restriction, 'Audience').map(textOf).filter(isText);
    if (audiences.length === 0 || audiences.length !== restriction.children.length) return 'audience';
    audienceRestrictions.push(audiences);
  }
  return { notBefore, notOnOrAfter, audienceRestrictions };
}

/** Exactly one AuthnStatement: of several, one could state the class and another the session. */
function authnStatementOf(assertion: XmlElement): AuthnStatement | SamlRejection {
  const statement = only(assertion, 'AuthnStatement');
  const context = statement && only(statement, 'AuthnContext');
  if (statement === undefined || context === undefined) return 'authn_statement';
  const [authnInstant, sessionNotOnOrAfter] = [
    instant(statement, 'AuthnInstant'),
    instant(statement, 'SessionNotOnOrAfter'),
  ];
  if (authnInstant === undefined || isRejection(authnInstant)) return 'authn_statement';
  if (isRejection(sessionNotOnOrAfter)) return 'authn_statement';
  const sessionIndex = statement.attributes.get('SessionIndex');
  if (sessionIndex !== undefined && !isShort(sessionIndex, MAX_SESSION_INDEX_LENGTH)) return 'authn_statement';
  const classes = all(context, 'AuthnContextClassRef');
  const [authnContextClassRef] = classes.map(textOf);
  if (classes.length > 1) return 'authn_context';
  if (classes.length === 1 && !isShort(authnContextClassRef ?? '', MAX_CLASS_LENGTH)) return 'authn_context';
  return { authnInstant, sessionIndex, sessionNotOnOrAfter, authnContextClassRef };
}

/** Values that contain elements are ignored; one name may occur in several formats and statements. */
function attributesOf(assertion: XmlElement): ReadonlyMap<string, readonly string[]> | SamlRejection {
  const attributes = new Map<string, string[]>();
  for (const attribute of all(assertion, 'AttributeStatement').flatMap((statement) => all(statement, 'Attribute'))) {
    const name = attribute.attributes.get('Name');
    if (name === undefined) return 'structure';
    const values = attributes.get(name) ?? [];
    values.push(...all(attribute, 'AttributeValue').map(textOf).filter(isText));
    attributes.set(name, values);
  }
  return attributes;
}

function all({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name && child.namespace === NAMESPACE.assertion);
}

function only(element: XmlElement, name: string): XmlElement | undefined {
  const [first, ...others] = all(element, name);
  return others.length === 0 ? first : undefined;
}

/** The whole text, including blanks; undefined for an element that contains elements. */
function textOf({ children, text }: XmlElement): string | undefined {
  return children.length === 0 ? text : undefined;
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}

function isShort(text: string, longest: number): boolean {
  return text !== '' && text.length <= longest && !CONTROL.test(text);
}

function instant({ attributes }: XmlElement, name: string): number | SamlRejection | undefined {
  const text = attributes.get(name);
  return text === undefined ? undefined : (millisOfInstant(text) ?? 'structure');
}
