import { elementsIn, type XmlElement } from './xml-reader.js';
import { createDecipheriv, type KeyObject } from 'node:crypto';
import { readDocument, rejectedAlgorithm } from './document-allowlist.js';
import { decodeText, NAMESPACE, printable } from './saml-values.js';
import { isRejection, type SamlRejection } from '../login/rejection.js';
import { type OaepHash, oaepDecrypt, type OaepHashes } from './rsa-oaep.js';

/** How encrypted assertions are decrypted. */
interface DecryptionOptions {
  /** Undefined if no bundle with a key is configured. */
  readonly privateKey: KeyObject | undefined;
  /** Whether the document was read from the signed text of the whole response. */
  readonly isResponseSigned: boolean;
}

/** The decrypted text, which passed the allowlist but whose signature is not verified yet; or why there is none. */
export type DecryptedAssertion =
  | { readonly assertion: string }
  | {
      readonly rejection: SamlRejection;
      /** For the rejections `algorithm` and `unsigned_cbc`: its name, safe for the log. */
      readonly algorithm?: string | undefined;
    };

type Cipher = `aes-${'128' | '256'}-${'gcm' | 'cbc'}`;

// Maps and not objects, because a sender chooses the looked-up name, such as `constructor`.
const CIPHERS: ReadonlyMap<string, Cipher> = new Map([
  [`${NAMESPACE.encryption11}aes256-gcm`, 'aes-256-gcm'],
  [`${NAMESPACE.encryption11}aes128-gcm`, 'aes-128-gcm'],
  [`${NAMESPACE.encryption}aes256-cbc`, 'aes-256-cbc'],
  [`${NAMESPACE.encryption}aes128-cbc`, 'aes-128-cbc'],
]);
/** With MGF1 and SHA-1 by its definition, whatever the digest (XML encryption 1.1, 5.5.2). */
const OAEP_MGF1P = `${NAMESPACE.encryption}rsa-oaep-mgf1p`;
const OAEP = `${NAMESPACE.encryption11}rsa-oaep`;
const SHA1 = `${NAMESPACE.signature}sha1`;
const SHA256 = `${NAMESPACE.encryption}sha256`;
const MGF1_SHA1 = `${NAMESPACE.encryption11}mgf1sha1`;
const MGF1_SHA256 = `${NAMESPACE.encryption11}mgf1sha256`;
const DIGESTS: ReadonlyMap<string, OaepHash> = new Map([
  [SHA1, 'sha1'],
  [SHA256, 'sha256'],
]);
const MASKS: ReadonlyMap<string, OaepHash> = new Map([
  [MGF1_SHA1, 'sha1'],
  [MGF1_SHA256, 'sha256'],
]);

/** The type of a reference to a key (XML encryption 1.1, 3.5.3). */
const ENCRYPTED_KEY_TYPE = `${NAMESPACE.encryption}EncryptedKey`;

/** What our metadata offers, the preferred first; it is accepted in any response. */
export const OFFERED_ENCRYPTION = {
  ciphers: [...CIPHERS.keys()].filter((algorithm) => algorithm.endsWith('gcm')),
  keyTransports: [
    { algorithm: OAEP, digest: SHA256, mask: MGF1_SHA256 },
    { algorithm: OAEP_MGF1P, digest: SHA1, mask: undefined },
  ],
} as const;

const GCM_IV_BYTES = 12;
const GCM_TAG_BYTES = 16;
const BLOCK_BYTES = 16;

/** How often each element may occur, so that no part can be mistaken for another one. */
const PARTS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['EncryptedData', 1, 1],
  ['EncryptedKey', 1, 1],
  ['EncryptionMethod', 2, 2],
  ['CipherData', 2, 2],
  ['CipherValue', 2, 2],
  ['DigestMethod', 0, 1],
  ['MGF', 0, 1],
  ['OAEPparams', 0, 0],
  ['RetrievalMethod', 0, 1],
  ['CipherReference', 0, 0],
];

/**
 * Decrypts the assertion of a response. Anyone can encrypt for this service, so the content must pass the allowlist. AES-CBC
 * does not detect changed content, and each reaction to changed content would reveal some of it (XML encryption 1.1, 6.1.2);
 * it is accepted only under the verified signature of the response.
 */
export function decryptAssertion(response: XmlElement, options: DecryptionOptions): DecryptedAssertion {
  const encrypted = response.children.find(({ name }) => name === 'EncryptedAssertion');
  const parts = encrypted === undefined ? STRUCTURE : partsOf(encrypted);
  if ('rejection' in parts) return parts;
  const { privateKey, isResponseSigned } = options;
  const cipher = CIPHERS.get(parts.algorithm);
  if (cipher === undefined) return rejected(parts.algorithm);
  if (isCbc(cipher) && !isResponseSigned) return { ...rejected(parts.algorithm), rejection: 'unsigned_cbc' };
  if (privateKey === undefined) return { rejection: 'decryption' };
  const content = decrypt(cipher, parts, privateKey);
  if (content === undefined) return { rejection: 'decryption' };
  const assertion = readDocument(content, 'Assertion');
  if (!isRejection(assertion)) return { assertion: content };
  return { rejection: assertion, ...(assertion === 'algorithm' && { algorithm: rejectedAlgorithm(content) }) };
}

interface EncryptedParts {
  readonly algorithm: string;
  readonly hashes: OaepHashes;
  readonly key: string;
  readonly content: string;
}

type DecryptionRejection = Extract<DecryptedAssertion, { readonly rejection: SamlRejection }>;

const STRUCTURE: DecryptionRejection = { rejection: 'structure' };

function rejected(algorithm: string): DecryptionRejection {
  return { rejection: 'algorithm', algorithm: printable(algorithm) };
}

function partsOf(encrypted: XmlElement): EncryptedParts | DecryptionRejection {
  for (const [name, least, most] of PARTS) {
    const count = named(encrypted, name).length;
    if (count < least || count > most) return STRUCTURE;
  }
  const data = child(encrypted, 'EncryptedData');
  const encryptedKey = keyOf(encrypted, data);
  const algorithm = algorithmOf(child(data, 'EncryptionMethod'));
  const key = child(child(encryptedKey, 'CipherData'), 'CipherValue')?.text;
  const content = child(child(data, 'CipherData'), 'CipherValue')?.text;
  if (algorithm === undefined || key === undefined || content === undefined) return STRUCTURE;
  if (childNames(data) !== 'EncryptionMethod KeyInfo CipherData') return STRUCTURE;
  const hashes = hashesOf(child(encryptedKey, 'EncryptionMethod'), encrypted);
  return 'rejection' in hashes ? hashes : { algorithm, hashes, key, content };
}

/**
 * The key of the content: inside the KeyInfo of the data, or beside the data, which then refers to it (SAML core 2.2.4).
 * Beside the data, key and data must name each other and nothing else.
 */
function keyOf(encrypted: XmlElement, data: XmlElement | undefined): XmlElement | undefined {
  const keyInfo = child(data, 'KeyInfo', NAMESPACE.signature);
  switch (childNames(encrypted)) {
    case 'EncryptedData':
      return named(encrypted, 'RetrievalMethod').length === 0 ? child(keyInfo, 'EncryptedKey') : undefined;
    case 'EncryptedData EncryptedKey': {
      const key = child(encrypted, 'EncryptedKey');
      return isKeyReference(keyInfo, key) && isOnlyFor(data, key) ? key : undefined;
    }
    default:
      return undefined;
  }
}

function isKeyReference(keyInfo: XmlElement | undefined, key: XmlElement | undefined): boolean {
  const reference = child(keyInfo, 'RetrievalMethod', NAMESPACE.signature);
  if (childNames(keyInfo) !== 'RetrievalMethod' || reference?.attributes.size !== 2) return false;
  return reference.attributes.get('Type') === ENCRYPTED_KEY_TYPE && refersTo(reference, key);
}

/** Whether the optional list of what the key encrypts names the data and nothing else. */
function isOnlyFor(data: XmlElement | undefined, key: XmlElement | undefined): boolean {
  const list = child(key, 'ReferenceList');
  if (list === undefined) return named(key, 'ReferenceList').length === 0;
  const reference = child(list, 'DataReference');
  const isSingle = named(key, 'ReferenceList').length === 1 && childNames(list) === 'DataReference';
  return isSingle && reference?.attributes.size === 1 && refersTo(reference, data);
}

/** Whether a reference without transforms names this element of the same document, whose Id no other element has. */
function refersTo(reference: XmlElement | undefined, element: XmlElement | undefined): boolean {
  const id = element?.attributes.get('Id');
  return id !== undefined && reference?.children.length === 0 && reference.attributes.get('URI') === `#${id}`;
}

function named(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element === undefined ? [] : [...elementsIn(element)].filter((inner) => inner.name === name);
}

function childNames(element: XmlElement | undefined): string {
  return element?.children.map(({ name }) => name).join(' ') ?? '';
}

/** A digest or mask that is not named is SHA-1 (XML encryption 1.1, 5.5.2). */
function hashesOf(method: XmlElement | undefined, encrypted: XmlElement): OaepHashes | DecryptionRejection {
  const transport = algorithmOf(method);
  const digest = parameterOf(method, encrypted, 'DigestMethod', NAMESPACE.signature) ?? SHA1;
  const mask = parameterOf(method, encrypted, 'MGF', NAMESPACE.encryption11) ?? MGF1_SHA1;
  if (transport === undefined || digest === 'misplaced' || mask === 'misplaced') return STRUCTURE;
  if (transport !== OAEP && transport !== OAEP_MGF1P) return rejected(transport);
  const [digestHash, maskHash] = [DIGESTS.get(digest), MASKS.get(mask)];
  if (digestHash === undefined) return rejected(digest);
  if (maskHash === undefined || (transport === OAEP_MGF1P && mask !== MGF1_SHA1)) return rejected(mask);
  return { digest: digestHash, mask: maskHash };
}

/** Undefined if it is absent. */
function parameterOf(
  method: XmlElement | undefined,
  encrypted: XmlElement,
  name: string,
  namespace: string,
): string | undefined {
  const parameter = child(method, name, namespace);
  if (parameter !== undefined) return algorithmOf(parameter) ?? 'misplaced';
  return named(encrypted, name).length > 0 ? 'misplaced' : undefined;
}

function child(
  element: XmlElement | undefined,
  name: string,
  namespace: string = NAMESPACE.encryption,
): XmlElement | undefined {
  return element?.children.find((inner) => inner.name === name && inner.namespace === namespace);
}

function algorithmOf(method: XmlElement | undefined): string | undefined {
  return method?.attributes.size === 1 ? method.attributes.get('Algorithm') : undefined;
}

function decrypt(cipher: Cipher, parts: EncryptedParts, privateKey: KeyObject): string | undefined {
  try {
    const key = oaepDecrypt(privateKey, Buffer.from(parts.key, 'base64'), parts.hashes);
    const content = Buffer.from(parts.content, 'base64');
    return decodeText(isCbc(cipher) ? cbcDecrypted(cipher, key, content) : gcmDecrypted(cipher, key, content));
  } catch {
    return undefined; // a wrong key, changed content and content of another length all end here
  }
}

type Cbc = Extract<Cipher, `${string}cbc`>;

function isCbc(cipher: Cipher): cipher is Cbc {
  return cipher.endsWith('cbc');
}

function gcmDecrypted(cipher: Exclude<Cipher, Cbc>, key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, content.subarray(0, GCM_IV_BYTES), { authTagLength: GCM_TAG_BYTES });
  decipher.setAuthTag(content.subarray(-GCM_TAG_BYTES));
  return Buffer.concat([decipher.update(content.subarray(GCM_IV_BYTES, -GCM_TAG_BYTES)), decipher.final()]);
}

/** Only the last octet of the padding has a meaning: its length (XML encryption 1.1, 5.2). */
function cbcDecrypted(cipher: Cbc, key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, content.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(content.subarray(BLOCK_BYTES)), decipher.final()]);
  const length = padded.at(-1) ?? 0;
  if (length < 1 || length > BLOCK_BYTES) throw new Error('invalid padding');
  return padded.subarray(0, -length);
}
