import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import type Forge from 'node-forge';
import { bytesOf, codeOf, pathOf, UnusableBundle } from './bundle-reading.js';
import { CONVERT_JKS, isJks } from './store-format.js';

const LOCATION = 'truststore.location';
const PASSWORD = 'truststore.password';
/** A PKCS12 file has the version, the content, and the MAC if it has one (RFC 7292 section 4). */
const PARTS_WITH_MAC = 3;

type PfxContent = Forge.asn1.Asn1 & { readonly value: Forge.asn1.Asn1[] };

/** Node itself reads no PKCS12 file without a private key. */
let loaded: typeof Forge | undefined;

/** Loaded only for a trust store. */
function library(): typeof Forge {
  return (loaded ??= createRequire(import.meta.url)('node-forge') as typeof Forge);
}

/**
 * Reads the trusted certificates of a PKCS12 file, of `keytool` or `openssl pkcs12`.
 * @throws UnusableBundle
 */
export function readTrustStore(location: string, password: string | undefined): readonly X509Certificate[] {
  const file = pathOf(location);
  const bytes = bytesOf(file, LOCATION);
  if (isJks(bytes)) {
    throw new UnusableBundle({
      member: LOCATION,
      file,
      reason: 'it is a JKS file, which is not supported',
      action: CONVERT_JKS,
    });
  }
  const forge = library();
  const { pki } = forge;
  const bags = openStore(forge, bytes, file, password).safeContents.flatMap(({ safeBags }) => safeBags);
  if (bags.some(({ type }) => type === pki.oids['keyBag'] || type === pki.oids['pkcs8ShroudedKeyBag'])) {
    throw new UnusableBundle({
      member: LOCATION,
      file,
      reason: 'it contains a private key, which does not belong into a trust store',
      action:
        'Export its certificates: openssl pkcs12 -in <file> -nokeys | openssl pkcs12 -export -nokeys -out <new file>.',
    });
  }
  const certificates = bags.filter(({ type }) => type === pki.oids['certBag']);
  if (certificates.length === 0) {
    throw new UnusableBundle({
      member: LOCATION,
      file,
      reason: 'it contains no certificate',
      action: 'Add one: keytool -importcert -storetype PKCS12 -keystore <file> -alias <name> -file <certificate>.',
    });
  }
  return certificates.map((bag, index) => certificateOf(forge, bag, file, `${index + 1} of ${certificates.length}`));
}

function openStore(
  { asn1, pkcs12 }: typeof Forge,
  bytes: Buffer,
  file: string,
  password: string | undefined,
): Forge.pkcs12.Pkcs12Pfx {
  const content = parsed(asn1, bytes, file);
  // A removed MAC would allow to replace the certificates without knowing the password.
  if (password !== undefined && content.value.length < PARTS_WITH_MAC) {
    throw new UnusableBundle({
      member: PASSWORD,
      file,
      reason: 'the trust store has no MAC, so the password does not protect it',
      action: 'Remove the password if the file is meant to have none, or create the trust store again with a password.',
    });
  }
  try {
    return decrypted(pkcs12, content, password ?? '');
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : '';
    if (/MAC could not be verified|wrong password/i.test(message)) {
      throw new UnusableBundle(
        {
          member: PASSWORD,
          file,
          reason:
            password === undefined
              ? 'the trust store has a password, and none is set'
              : 'the password does not open the trust store, or the file was changed',
          action: 'Write ${NAME} and set NAME in the environment to the password of the trust store.',
        },
        { cause },
      );
    }
    throw unusableFile(file, cause);
  }
}

/**
 * PBES2 takes a password in UTF-8, where the MAC and older methods take UTF-16 (RFC 7292 appendix B.1). Forge passes the
 * characters on as bytes, so that a password with others than those of ASCII needs a second attempt; the first one has
 * verified the MAC.
 */
function decrypted(pkcs12: typeof Forge.pkcs12, content: PfxContent, password: string): Forge.pkcs12.Pkcs12Pfx {
  try {
    return pkcs12.pkcs12FromAsn1(content, true, password);
  } catch (error) {
    const bytes = Buffer.from(password).toString('latin1');
    if (bytes === password || !(error instanceof Error && error.message.startsWith('Failed to decrypt'))) throw error;
    const withoutMac = { ...content, value: content.value.slice(0, PARTS_WITH_MAC - 1) };
    return pkcs12.pkcs12FromAsn1(withoutMac, true, bytes);
  }
}

function parsed(asn1: typeof Forge.asn1, bytes: Buffer, file: string): PfxContent {
  try {
    const content = asn1.fromDer(bytes.toString('latin1'));
    if (Array.isArray(content.value)) return { ...content, value: content.value };
    throw new TypeError('not a sequence');
  } catch (cause) {
    throw unusableFile(file, cause);
  }
}

function certificateOf(
  { asn1, pki }: typeof Forge,
  { cert, asn1: content }: Forge.pkcs12.Bag,
  file: string,
  which: string,
): X509Certificate {
  try {
    // Forge parses the certificates of RSA keys only, and leaves the others as they are.
    const der = asn1.toDer(cert ? pki.certificateToAsn1(cert) : content).getBytes();
    return new X509Certificate(Buffer.from(der, 'latin1'));
  } catch (cause) {
    throw unusableFile(file, cause, `certificate ${which} in it cannot be read (${codeOf(cause)})`);
  }
}

function unusableFile(
  file: string,
  cause: unknown,
  reason = `it is not a complete PKCS12 file, or uses an unknown method (${codeOf(cause)})`,
): UnusableBundle {
  const action =
    'Set it to a PKCS12 file with the certificates of the authorities; for a PEM file, use truststore.certificate of a ' +
    'bundle under app.ssl.bundle.pem.';
  return new UnusableBundle({ member: LOCATION, file, reason, action }, { cause });
}
