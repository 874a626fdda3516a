// The identity provider of the bench: sends signed and, on request, encrypted responses.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignedXml } from 'xml-crypto';

export const ENTITY_ID = 'https://idp.bench/metadata';
export const SSO_URL = 'https://idp.bench/sso';

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const GROUPS = 8;
const LIFETIME_MILLIS = 3_600_000;

/** Files and texts of an RSA key of 2048 bits and its certificate. */
export function makeKeyPair(folder, name) {
  const [certificateFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const made = ['-keyout', keyFile, '-out', certificateFile, '-subj', `/CN=${name}`, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-sha256', '-newkey', 'rsa:2048', ...made], { stdio: 'ignore' });
  const [certificate, privateKey] = [certificateFile, keyFile].map((file) => readFileSync(file, 'utf8'));
  return { certificateFile, keyFile, certificate, privateKey };
}

export class IdentityProvider {
  constructor(keyPair) {
    this.keyPair = keyPair;
  }

  /** Base64 of a response with a signed assertion, of the size that common products send; `encryptFor` is a certificate. */
  response({ acsUrl, audience, inResponseTo, person, encryptFor }) {
    const assertion = this.#signed(assertionXml({ acsUrl, audience, inResponseTo, person }));
    const inner = encryptFor === undefined ? assertion : encrypted(assertion, encryptFor);
    return Buffer.from(responseXml(inner, { acsUrl, inResponseTo })).toString('base64');
  }

  #signed(xml) {
    const signer = new SignedXml({
      idAttribute: 'ID',
      privateKey: this.keyPair.privateKey,
      publicCert: this.keyPair.certificate,
      signatureAlgorithm: RSA_SHA256,
      canonicalizationAlgorithm: EXCLUSIVE,
    });
    signer.addReference({ xpath: '/*', transforms: [ENVELOPED, EXCLUSIVE], digestAlgorithm: SHA256 });
    signer.computeSignature(xml, { prefix: 'ds', location: { reference: '/*/*[1]', action: 'after' } });
    return signer.getSignedXml();
  }
}

export function responseXml(inner, { acsUrl, inResponseTo }) {
  const now = new Date().toISOString();
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="${newId()}" Version="2.0" IssueInstant="${now}" Destination="${acsUrl}" InResponseTo="${inResponseTo}">` +
    `<saml:Issuer>${ENTITY_ID}</saml:Issuer><samlp:Status>` +
    `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${inner}</samlp:Response>`
  );
}

export function assertionXml({ acsUrl, audience, inResponseTo, person }, attributes = usualAttributes()) {
  const now = new Date();
  const end = new Date(now.getTime() + LIFETIME_MILLIS).toISOString();
  const begin = now.toISOString();
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" Version="2.0"` +
    ` IssueInstant="${begin}"><saml:Issuer>${ENTITY_ID}</saml:Issuer><saml:Subject>` +
    `<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${person}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData` +
    ` NotOnOrAfter="${end}" Recipient="${acsUrl}" InResponseTo="${inResponseTo}"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${begin}" NotOnOrAfter="${end}"><saml:AudienceRestriction>` +
    `<saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${begin}" SessionIndex="${newId()}"><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport` +
    `</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${attributes}</saml:AttributeStatement></saml:Assertion>`
  );
}

function usualAttributes() {
  const groups = Array.from({ length: GROUPS }, (_, index) => `department-${index}`);
  return attribute('urn:bench:mail', ['ada@example.org']) + attribute('urn:bench:groups', groups);
}

export function attribute(name, values) {
  const texts = values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`);
  return `<saml:Attribute Name="${name}">${texts.join('')}</saml:Attribute>`;
}

/** AES-256-GCM under RSA-OAEP, the most common combination. */
function encrypted(assertion, certificate) {
  const [key, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const content = Buffer.concat([iv, cipher.update(assertion, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const wrapped = publicEncrypt({ key: certificate, padding: constants.RSA_PKCS1_OAEP_PADDING }, key);
  const cipherData = (bytes) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`;
  return (
    `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>` +
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"/>${cipherData(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>` +
    `${cipherData(content)}</xenc:EncryptedData></saml:EncryptedAssertion>`
  );
}

function newId() {
  return `_${randomBytes(16).toString('hex')}`;
}
