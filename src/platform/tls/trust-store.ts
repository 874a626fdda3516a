import type { X509Certificate } from 'node:crypto';
import { bytesOf, codeOf, pathOf, UnusableBundle } from './bundle-reading.js';
import { type Pkcs12Contents, Pkcs12File } from './pkcs12.js';
import { CONVERT_JKS, isJks } from './store-format.js';

const LOCATION = 'truststore.location';
const PASSWORD = 'truststore.password';

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
  const contents = openStore(bytes, file, password);
  if (contents.privateKeys.length > 0) {
    throw new UnusableBundle({
      member: LOCATION,
      file,
      reason: 'it contains a private key, which does not belong into a trust store',
      action:
        'Export its certificates: openssl pkcs12 -in <file> -nokeys | openssl pkcs12 -export -nokeys -out <new file>.',
    });
  }
  const { certificates } = contents;
  if (certificates.length === 0) {
    throw new UnusableBundle({
      member: LOCATION,
      file,
      reason: 'it contains no certificate',
      action: 'Add one: keytool -importcert -storetype PKCS12 -keystore <file> -alias <name> -file <certificate>.',
    });
  }
  return certificates.map((read, index) => {
    try {
      return read();
    } catch (cause) {
      const which = `${index + 1} of ${certificates.length}`;
      throw unusableFile(file, cause, `certificate ${which} in it cannot be read (${codeOf(cause)})`);
    }
  });
}

function openStore(bytes: Buffer, file: string, password: string | undefined): Pkcs12Contents {
  const store = parsed(bytes, file);
  // Rejects a store without a MAC: it would allow replacing the certificates without knowing the password.
  if (password !== undefined && !store.hasMac) {
    throw new UnusableBundle({
      member: PASSWORD,
      file,
      reason: 'the trust store has no MAC, so the password does not protect it',
      action: 'Remove the password if the file is meant to have none, or create the trust store again with a password.',
    });
  }
  try {
    return store.open(password ?? '');
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
    // The MAC was verified before.
    if (store.hasMac && isLatin1(password ?? '')) {
      throw new UnusableBundle(
        {
          member: LOCATION,
          file,
          reason:
            'its password is right, but its certificates cannot be decrypted: probably they were encrypted in Latin-1',
          action: 'Create it again with a password of ASCII characters, or in a locale with UTF-8.',
        },
        { cause },
      );
    }
    throw unusableFile(file, cause);
  }
}

/** True for a password whose bytes in Latin-1 and in UTF-8 differ. */
function isLatin1(password: string): boolean {
  return (
    Buffer.byteLength(password) > password.length && Buffer.from(password, 'latin1').toString('latin1') === password
  );
}

function parsed(bytes: Buffer, file: string): Pkcs12File {
  try {
    return Pkcs12File.parse(bytes);
  } catch (cause) {
    throw unusableFile(file, cause);
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
