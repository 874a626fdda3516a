import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { bare, NAMESPACE } from './saml-xml.js';

const CONTENT = {
  'aes256-gcm': { uri: 'http://www.w3.org/2009/xmlenc11#aes256-gcm', keyBytes: 32, ivBytes: 12 },
  'aes128-gcm': { uri: 'http://www.w3.org/2009/xmlenc11#aes128-gcm', keyBytes: 16, ivBytes: 12 },
  'aes256-cbc': { uri: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc', keyBytes: 32, ivBytes: 16 },
} as const;

const KEY_TRANSPORT = {
  'rsa-oaep-mgf1p': {
    uri: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    hash: 'sha1',
    parameters: '',
  },
  // The default of Keycloak.
  'rsa-oaep': {
    uri: 'http://www.w3.org/2009/xmlenc11#rsa-oaep',
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    hash: 'sha256',
    parameters:
      '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>' +
      '<xenc11:MGF xmlns:xenc11="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha256"/>',
  },
  'rsa-1_5': {
    uri: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
    padding: constants.RSA_PKCS1_PADDING,
    hash: 'sha1',
    parameters: '',
  },
} as const;

/** Encryption of an assertion; by default AES-256-GCM with RSA-OAEP. */
export interface EncryptionOptions {
  readonly content?: keyof typeof CONTENT;
  readonly key?: keyof typeof KEY_TRANSPORT;
  /** Where the EncryptedKey is: inside the KeyInfo of the data by default, or beside the data, which then refers to it. */
  readonly keyPlacement?: 'inside' | 'beside';
}

/** EncryptedAssertion for the key of a certificate (SAML core 2.3.4, XML encryption 5). */
export function encryptAssertion(assertion: string, certificate: string, options: EncryptionOptions = {}): string {
  const { uri, keyBytes, ivBytes } = CONTENT[options.content ?? 'aes256-gcm'];
  const transport = KEY_TRANSPORT[options.key ?? 'rsa-oaep-mgf1p'];
  const key = randomBytes(keyBytes);
  const { padding, hash: oaepHash, parameters } = transport;
  const wrapped = publicEncrypt({ key: certificate, padding, oaepHash }, key).toString('base64');
  const encrypted = encrypt(assertion, key, randomBytes(ivBytes)).toString('base64');
  const method = `<xenc:EncryptionMethod Algorithm="${transport.uri}"${parameters === '' ? '/>' : `>${parameters}</xenc:EncryptionMethod>`}`;
  const keyData = `<xenc:CipherData><xenc:CipherValue>${wrapped}</xenc:CipherValue></xenc:CipherData>`;
  const placement = options.keyPlacement ?? 'inside';
  const [attributes, reference, beside] = {
    inside: ['', `<xenc:EncryptedKey>${method}${keyData}</xenc:EncryptedKey>`, ''],
    beside: [
      ' Id="_data"',
      `<ds:RetrievalMethod Type="${XENC}EncryptedKey" URI="#_key"/>`,
      `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="_key" Recipient="https://login.test/metadata">${method}` +
        `<ds:KeyInfo xmlns:ds="${NAMESPACE.signature}"><ds:X509Data><ds:X509Certificate>${bare(certificate)}` +
        `</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${keyData}` +
        `<xenc:ReferenceList><xenc:DataReference URI="#_data"/></xenc:ReferenceList></xenc:EncryptedKey>`,
    ],
  }[placement];
  return (
    `<saml:EncryptedAssertion xmlns:saml="${NAMESPACE.assertion}">` +
    `<xenc:EncryptedData xmlns:xenc="${XENC}"${attributes} Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${uri}"/>` +
    `<ds:KeyInfo xmlns:ds="${NAMESPACE.signature}">${reference}</ds:KeyInfo>` +
    `<xenc:CipherData><xenc:CipherValue>${encrypted}</xenc:CipherValue></xenc:CipherData>` +
    `</xenc:EncryptedData>${beside}</saml:EncryptedAssertion>`
  );
}

const XENC = 'http://www.w3.org/2001/04/xmlenc#';

function encrypt(text: string, key: Buffer, iv: Buffer): Buffer {
  if (iv.length === 16) {
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]);
  }
  const cipher = createCipheriv(key.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}
