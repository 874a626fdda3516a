import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type BundleContents, bytesOf, codeOf, UnusableBundle, fileOf } from './bundle-reading.js';

const CERTIFICATE = 'keystore.certificate';
const PRIVATE_KEY = 'keystore.private-key';
const PASSWORD = 'keystore.private-key-password';
const TRUSTED = 'truststore.certificate';

const CERTIFICATE_BLOCK =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const KEY_BLOCK = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----/;

/** Values of the members of a PEM bundle: files or PEM texts. */
export interface PemMembers {
  readonly keystoreCertificate?: string;
  readonly keystorePrivateKey?: string;
  readonly keystorePrivateKeyPassword?: string;
  readonly truststoreCertificate?: string;
}

/** Files that a PEM bundle is read from, absolute. */
export function pemFiles(members: PemMembers): readonly string[] {
  return [members.keystoreCertificate, members.keystorePrivateKey, members.truststoreCertificate].flatMap((value) =>
    value === undefined ? [] : (fileOf(value) ?? []),
  );
}

/** @throws UnusableBundle */
export function readPemBundle(members: PemMembers): BundleContents {
  const { keystoreCertificate, keystorePrivateKey, truststoreCertificate } = members;
  const trusted =
    truststoreCertificate === undefined ? undefined : certificatesIn(textOf(truststoreCertificate, TRUSTED), TRUSTED);
  if (keystoreCertificate === undefined) return { form: 'pem', identity: undefined, chain: [], trusted };
  if (keystorePrivateKey === undefined) {
    throw new UnusableBundle({
      member: PRIVATE_KEY,
      reason: 'the certificate of the bundle has no private key beside it',
      action: 'Set it to the file of the private key that belongs to keystore.certificate.',
    });
  }
  const certificate = textOf(keystoreCertificate, CERTIFICATE);
  const chain = certificatesIn(certificate, CERTIFICATE);
  const key = textOf(keystorePrivateKey, PRIVATE_KEY);
  const passphrase = members.keystorePrivateKeyPassword;
  checkPair(chain, keyIn(key, passphrase), key);
  return {
    form: 'pem',
    identity: withoutUndefined({ cert: certificate.text, key: key.text, passphrase }),
    chain,
    trusted,
  };
}

interface PemText {
  readonly text: string;
  readonly file?: string;
}

function textOf(value: string, member: string): PemText {
  const file = fileOf(value);
  return file === undefined ? { text: value } : { text: bytesOf(file, member).toString('utf8'), file };
}

function certificatesIn({ text, ...place }: PemText, member: string): readonly X509Certificate[] {
  const action = 'Set it to certificates in PEM form, each from BEGIN CERTIFICATE to END CERTIFICATE.';
  const blocks = Array.from(text.matchAll(CERTIFICATE_BLOCK), ([block]) => block);
  if (blocks.length === 0) {
    throw new UnusableBundle({ member, ...place, reason: 'it holds no certificate in PEM form', action });
  }
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      const reason = `certificate ${index + 1} of ${blocks.length} in it cannot be read (${codeOf(cause)})`;
      throw new UnusableBundle({ member, ...place, reason, action }, { cause });
    }
  });
}

function keyIn({ text, ...place }: PemText, passphrase: string | undefined): KeyObject {
  const [, kind] = KEY_BLOCK.exec(text) ?? [];
  if (kind === undefined) {
    const action = 'Set it to a private key in PEM form.';
    throw new UnusableBundle({ member: PRIVATE_KEY, ...place, reason: 'it holds no private key in PEM form', action });
  }
  const isEncrypted = kind.includes('ENCRYPTED') || text.includes('Proc-Type: 4,ENCRYPTED');
  if (isEncrypted && passphrase === undefined) {
    throw new UnusableBundle({
      member: PASSWORD,
      ...place,
      reason: 'the private key is encrypted and there is no password for it',
      action: 'Write ${NAME} and set NAME in the environment to the password.',
    });
  }
  try {
    return createPrivateKey(withoutUndefined({ key: text, passphrase }));
  } catch (cause) {
    const code = codeOf(cause);
    throw new UnusableBundle(
      isEncrypted
        ? {
            member: PASSWORD,
            ...place,
            reason: `the password does not open the private key (${code})`,
            action: 'Correct the password, or the file of the private key.',
          }
        : {
            member: PRIVATE_KEY,
            ...place,
            reason: `the private key cannot be read (${code})`,
            action: 'Set it to a complete private key in PEM form: RSA, EC or Ed25519.',
          },
      { cause },
    );
  }
}

function checkPair([own, ...others]: readonly X509Certificate[], key: KeyObject, { file }: PemText): void {
  if (own?.checkPrivateKey(key) === true) return;
  const later = others.findIndex((certificate) => certificate.checkPrivateKey(key));
  throw new UnusableBundle({
    member: PRIVATE_KEY,
    ...withoutUndefined({ file }),
    reason:
      later === -1
        ? 'it does not belong to the certificate in keystore.certificate'
        : `it belongs to certificate ${later + 2} in keystore.certificate, and the own one must be the first`,
    action:
      later === -1
        ? 'Set keystore.certificate and keystore.private-key to files that belong together.'
        : 'Put the own certificate first, then those of the authorities up to the root.',
  });
}
