import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

/** The statements of a certificate (RFC 5280 section 4.1). */
export interface CertificateFacts {
  readonly publicKey: KeyObject;
  /** Attributes of the subject by their short names. */
  readonly subject: readonly (readonly [string, string])[];
  /** Subject alternative names: `IP:<address of IPv4>` and `DNS:<name>`, separated by commas. */
  readonly names: string;
  readonly isAuthority: boolean;
  /** Values of further extensions, by their object identifiers. */
  readonly extensions: ReadonlyMap<string, Uint8Array>;
  /** Epoch seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Who signs a certificate: its own key, or an authority with a certificate of `certificateOf`. */
export interface Issuer {
  readonly key: KeyObject;
  /** DER; undefined for the key of the certificate itself. */
  readonly certificate?: Buffer;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OCTETS = 0x04;

const OIDS = {
  C: '2.5.4.6',
  CN: '2.5.4.3',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  subjectKeyIdentifier: '2.5.29.14',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
};

/** A certificate of version 3, signed with SHA-256, as DER. */
export function certificateOf(facts: CertificateFacts, issuer: Issuer): Buffer {
  const subject = nameOf(facts.subject);
  const algorithm =
    issuer.key.asymmetricKeyType === 'rsa'
      ? der(SEQUENCE, oid(OIDS.sha256WithRsa), der(0x05))
      : der(SEQUENCE, oid(OIDS.ecdsaWithSha256));
  const signerKey = issuer.certificate ? new X509Certificate(issuer.certificate).publicKey : facts.publicKey;
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    // The first bit of a positive number is 0.
    der(0x02, Buffer.from([0x40]), randomBytes(15)),
    algorithm,
    issuer.certificate ? subjectOf(issuer.certificate) : subject,
    der(SEQUENCE, time(facts.notBefore), time(facts.notAfter)),
    subject,
    facts.publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(SEQUENCE, ...extensionsOf(facts, signerKey))),
  );
  return der(SEQUENCE, body, algorithm, der(0x03, Buffer.from([0]), sign('sha256', body, issuer.key)));
}

function extensionsOf({ publicKey, names, isAuthority, extensions }: CertificateFacts, signerKey: KeyObject): Buffer[] {
  return [
    extension(OIDS.subjectKeyIdentifier, der(OCTETS, keyIdentifier(publicKey))),
    extension(OIDS.authorityKeyIdentifier, der(SEQUENCE, der(0x80, keyIdentifier(signerKey)))),
    extension(OIDS.basicConstraints, der(SEQUENCE, ...(isAuthority ? [TRUE] : [])), { isCritical: true }),
    extension(OIDS.subjectAltName, der(SEQUENCE, ...names.split(',').map(alternativeName))),
    ...Array.from(extensions, ([id, value]) => extension(id, value)),
  ];
}

function extension(id: string, value: Uint8Array, { isCritical = false } = {}): Buffer {
  return der(SEQUENCE, oid(id), ...(isCritical ? [TRUE] : []), der(OCTETS, value));
}

function alternativeName(name: string): Buffer {
  const [kind, value = ''] = name.split(':');
  return kind === 'IP' ? der(0x87, Buffer.from(value.split('.').map(Number))) : der(0x82, Buffer.from(value));
}

/** SHA-1 of the bits of the key (RFC 5280 section 4.2.1.2, method 1). */
function keyIdentifier(key: KeyObject): Buffer {
  const spki = key.export({ format: 'der', type: 'spki' });
  const [, bits] = elementsOf(contentOf(spki));
  return createHash('sha1')
    .update(contentOf(bits ?? spki).subarray(1))
    .digest();
}

function nameOf(attributes: CertificateFacts['subject']): Buffer {
  const sets = attributes.map(([name, value]) => {
    const type = OIDS[name as 'C' | 'CN' | 'O' | 'OU'];
    // A country is a PrintableString, everything else may be a UTF8String.
    return der(SET, der(SEQUENCE, oid(type), der(name === 'C' ? 0x13 : 0x0c, Buffer.from(value))));
  });
  return der(SEQUENCE, ...sets);
}

/** The sixth element of the body, after version, serial number, algorithm, issuer and validity. */
function subjectOf(certificate: Buffer): Buffer {
  const [body = certificate] = elementsOf(contentOf(certificate));
  return elementsOf(contentOf(body))[5] ?? body;
}

const TRUE = der(0x01, Buffer.from([0xff]));

/** UTCTime, which ends in 2049. */
function time(seconds: number): Buffer {
  const text = new Date(seconds * 1000).toISOString();
  return der(0x17, Buffer.from(`${text.slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));
}

function oid(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(128 + (left % 128));
  return digits;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length.toString(16);
  const long = Buffer.from(length.length % 2 === 0 ? length : `0${length}`, 'hex');
  const head = content.length < 128 ? [tag, content.length] : [tag, 0x80 + long.length, ...long];
  return Buffer.concat([Buffer.from(head), content]);
}

/** Where the content of the first element begins and ends. */
function boundsOf(bytes: Buffer): readonly [start: number, end: number] {
  const first = bytes[1] ?? 0;
  if (first < 128) return [2, 2 + first];
  const start = 2 + first - 128;
  return [start, start + bytes.readUIntBE(2, first - 128)];
}

function contentOf(element: Buffer): Buffer {
  return element.subarray(...boundsOf(element));
}

function elementsOf(content: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  for (let left = content; left.length > 0;) {
    const [, end] = boundsOf(left);
    elements.push(left.subarray(0, end));
    left = left.subarray(end);
  }
  return elements;
}
