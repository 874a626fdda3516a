import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { elementsIn, readDocument } from './document-shape.js';
import type { MarkupElement } from './markup.js';
import { isRejection, type Rejection } from './rejection.js';
import { NAMESPACE } from './saml-namespace.js';

/** How encrypted assertions are opened. */
interface Opening {
  /** Undefined where the bundle has no key for it. */
  readonly privateKey: KeyObject | undefined;
  /** Whether a good signature of the whole response is demanded, which the library looks at before it decrypts. */
  readonly isResponseSigned: boolean;
}

const GCM: Readonly<Record<string, 'aes-128-gcm' | 'aes-256-gcm'>> = {
  'http://www.w3.org/2009/xmlenc11#aes128-gcm': 'aes-128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm': 'aes-256-gcm',
};
const CBC: readonly string[] = [`${NAMESPACE.encryption}aes128-cbc`, `${NAMESPACE.encryption}aes256-cbc`];
const OAEP = `${NAMESPACE.encryption}rsa-oaep-mgf1p`;
const SHA1 = `${NAMESPACE.signature}sha1`;
/** What is taken whatever the response around it, for our metadata: ciphers, the padding of their keys and its hash. */
export const TAKEN_ENCRYPTION = { ciphers: Object.keys(GCM).toReversed(), keyTransport: OAEP, digest: SHA1 } as const;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** How often each may stand there: the library takes the first of a name that it finds anywhere. */
const PARTS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['EncryptedData', 1, 1],
  ['EncryptedKey', 1, 1],
  ['EncryptionMethod', 2, 2],
  ['CipherData', 2, 2],
  ['CipherValue', 2, 2],
  ['DigestMethod', 0, 1],
  ['OAEPparams', 0, 0],
  ['RetrievalMethod', 0, 0],
  ['CipherReference', 0, 0],
];

/**
 * Why an encrypted assertion is not given to the library. Everybody can encrypt for us, so what comes out is looked at like
 * every other document before it is parsed there. AES-CBC does not show that somebody has bent it, and each answer to bent
 * ones would tell of the content (XML encryption 1.1, 6.1.2): it counts only under a signature of the response around it.
 */
export function encryptedAssertionFault(document: MarkupElement, opening: Opening): Rejection | undefined {
  const encrypted = document.children.find(({ name }) => name === 'EncryptedAssertion');
  if (encrypted === undefined) return undefined;
  const parts = partsOf(encrypted);
  if (isRejection(parts)) return parts;
  const isUnderSignature = opening.isResponseSigned && CBC.includes(parts.algorithm);
  const cipher = GCM[parts.algorithm];
  if (cipher === undefined && !isUnderSignature) return 'algorithm';
  if (opening.privateKey === undefined) return 'decryption';
  if (cipher === undefined) return undefined;
  const content = decrypted(cipher, parts, opening.privateKey);
  if (content === undefined) return 'decryption';
  const assertion = readDocument(content, 'Assertion');
  return isRejection(assertion) ? assertion : undefined;
}

interface EncryptedParts {
  readonly algorithm: string;
  readonly key: string;
  readonly content: string;
}

function partsOf(encrypted: MarkupElement): EncryptedParts | Rejection {
  const elements = [...elementsIn(encrypted)];
  for (const [name, least, most] of PARTS) {
    const count = elements.filter((element) => element.name === name).length;
    if (count < least || count > most) return 'structure';
  }
  const data = child(encrypted, 'EncryptedData');
  const keyInfo = child(data, 'KeyInfo', NAMESPACE.signature);
  const encryptedKey = child(keyInfo, 'EncryptedKey');
  const method = child(encryptedKey, 'EncryptionMethod');
  const algorithm = algorithmOf(child(data, 'EncryptionMethod'));
  const key = child(child(encryptedKey, 'CipherData'), 'CipherValue')?.text;
  const content = child(child(data, 'CipherData'), 'CipherValue')?.text;
  if (algorithm === undefined || key === undefined || content === undefined) return 'structure';
  // In this order alone the first CipherValue is that of the key.
  if (data?.children.map(({ name }) => name).join(' ') !== 'EncryptionMethod KeyInfo CipherData') return 'structure';
  const digest = child(method, 'DigestMethod', NAMESPACE.signature);
  if (digest === undefined && elements.some(({ name }) => name === 'DigestMethod')) return 'structure';
  // RSA-OAEP with SHA-1 as both hashes is the one padding without an oracle that the library knows.
  if (algorithmOf(method) !== OAEP || (digest !== undefined && algorithmOf(digest) !== SHA1)) return 'algorithm';
  return { algorithm, key, content };
}

function child(
  element: MarkupElement | undefined,
  name: string,
  namespace: string = NAMESPACE.encryption,
): MarkupElement | undefined {
  return element?.children.find((inner) => inner.name === name && inner.namespace === namespace);
}

function algorithmOf(method: MarkupElement | undefined): string | undefined {
  return method?.attributes.size === 1 ? method.attributes.get('Algorithm') : undefined;
}

function decrypted(
  cipher: 'aes-128-gcm' | 'aes-256-gcm',
  parts: EncryptedParts,
  privateKey: KeyObject,
): string | undefined {
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const key = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, Buffer.from(parts.key, 'base64'));
    const content = Buffer.from(parts.content, 'base64');
    const decipher = createDecipheriv(cipher, key, content.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(content.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(content.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return undefined; // a wrong key, a bent content and one of another length all end here
  }
}
