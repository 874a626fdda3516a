import type { KeyObject, X509Certificate } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { type BundleContents, bytesOf, codeOf, type TlsRole, UnusableBundle, pathOf } from './bundle-reading.js';
import { Pkcs12File } from './pkcs12.js';
import { CONVERT_JKS, isJks } from './store-format.js';
import { readTrustStore } from './trust-store.js';

const LOCATION = 'keystore.location';
const PASSWORD = 'keystore.password';

/** Values of the members of a key store bundle. */
export interface StoreMembers {
  readonly keystoreLocation?: string;
  readonly keystorePassword?: string;
  readonly truststoreLocation?: string;
  readonly truststorePassword?: string;
}

/** Files that a key store bundle is read from, absolute. */
export function storeFiles({ keystoreLocation, truststoreLocation }: StoreMembers): readonly string[] {
  return [keystoreLocation, truststoreLocation].flatMap((value) => (value === undefined ? [] : pathOf(value)));
}

/** @throws UnusableBundle */
export function readStoreBundle(members: StoreMembers, role: TlsRole): BundleContents {
  const { keystoreLocation, keystorePassword, truststoreLocation, truststorePassword } = members;
  const trusted = truststoreLocation === undefined ? undefined : readTrustStore(truststoreLocation, truststorePassword);
  if (keystoreLocation === undefined) return { form: 'store', identity: undefined, chain: [], trusted };
  const file = pathOf(keystoreLocation);
  const store = { pfx: bytesOf(file, LOCATION), passphrase: keystorePassword ?? '' };
  const own = ownCertificate(openStore(file, store, keystorePassword !== undefined));
  const identity = role === 'client' ? clientIdentity(file, store) : store;
  return { form: 'store', identity, chain: own ? [own] : [], trusted };
}

/** Key and certificates in PEM form: a client would trust the authorities in a PKCS12 file, which only identify it. */
function clientIdentity(
  file: string,
  { pfx, passphrase }: { readonly pfx: Buffer; readonly passphrase: string },
): BundleContents['identity'] {
  const [certificates, keys] = partsOf(file, pfx, passphrase);
  for (const key of keys) {
    const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
    if (!own) continue;
    const chain = [own, ...certificates.filter((certificate) => certificate !== own)];
    return {
      key: key.export({ type: 'pkcs8', format: 'pem' }),
      cert: chain.map((certificate) => certificate.toString()).join(''),
    };
  }
  throw unusableStore(file, 'none of its certificates belongs to its private key');
}

function partsOf(
  file: string,
  pfx: Buffer,
  passphrase: string,
): readonly [certificates: readonly X509Certificate[], keys: readonly KeyObject[]] {
  try {
    const { certificates, privateKeys } = Pkcs12File.parse(pfx).open(passphrase);
    return [certificates.map((read) => read()), privateKeys.map((read) => read())];
  } catch (cause) {
    throw unusableStore(file, `its key and certificate cannot be read (${codeOf(cause)})`, cause);
  }
}

function unusableStore(file: string, reason: string, cause?: unknown): UnusableBundle {
  const action =
    'Create it again: openssl pkcs12 -in <file> -nodes | openssl pkcs12 -export -out <new file>; or use PEM files in a ' +
    'bundle under app.ssl.bundle.pem.';
  return new UnusableBundle({ member: LOCATION, file, reason, action }, { cause });
}

function openStore(
  file: string,
  identity: { readonly pfx: Buffer; readonly passphrase: string },
  hasPassword: boolean,
): SecureContext {
  try {
    return createSecureContext(identity);
  } catch (cause) {
    throw new UnusableBundle({ file, ...whyUnopened(identity.pfx, cause, hasPassword) }, { cause });
  }
}

/** Explanations of the error messages of the cryptography library about PKCS12 files. */
function whyUnopened(
  bytes: Buffer,
  cause: unknown,
  hasPassword: boolean,
): { readonly member: string; readonly reason: string; readonly action: string } {
  const message = cause instanceof Error ? cause.message : '';
  if (/mac verify failure/i.test(message)) {
    return {
      member: PASSWORD,
      reason: hasPassword
        ? 'the password does not open the key store'
        : 'the key store has a password, and none is set',
      action: 'Write ${NAME} and set NAME in the environment to the password of the key store.',
    };
  }
  if (isJks(bytes)) {
    return { member: LOCATION, reason: 'it is a JKS file, which is not supported', action: CONVERT_JKS };
  }
  if (/unsupported/i.test(message)) {
    return {
      member: LOCATION,
      reason: 'its encryption is outdated and no longer supported, such as RC2',
      action: 'Convert it: openssl pkcs12 -legacy -in <file> -nodes | openssl pkcs12 -export -out <new file>.',
    };
  }
  const reason = /private key from PFX/i.test(message)
    ? 'it holds no private key'
    : /certificate from PFX/i.test(message)
      ? 'it holds no certificate'
      : `it cannot be used as a PKCS12 file (${codeOf(cause)})`;
  return { member: LOCATION, reason, action: 'Set it to a PKCS12 file with one private key and its certificate.' };
}

/** The certificate that a context uses, which only a socket can tell. */
function ownCertificate(secureContext: SecureContext): X509Certificate | undefined {
  const socket = new TLSSocket(new PassThrough(), { isServer: true, secureContext });
  try {
    return socket.getX509Certificate();
  } finally {
    socket.destroy();
  }
}
