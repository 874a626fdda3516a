import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import { programOf } from '../runner/binaries.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { certificateOf } from './x509.js';

/** A certificate for 127.0.0.1 and localhost, signed with its own key, in two files. */
export interface MadeCertificate {
  readonly folder: string;
  /** PEM file. */
  readonly certificate: string;
  /** PEM file of mode 600. */
  readonly key: string;
  /** PEM text of the certificate, for clients that are to trust it. */
  readonly pem: string;
}

export interface CertificateOptions {
  /** Common name, by which tests distinguish certificates. */
  readonly name?: string;
  readonly days?: number;
  readonly key?: 'ec' | 'rsa' | 'short-rsa';
  readonly folder?: string;
  /** The whole subject in place of the common name, e.g. `/C=US/CN=name`. */
  readonly subject?: string;
  /** Subject alternative names. */
  readonly names?: string;
  readonly isAuthority?: boolean;
  /** Values of further extensions, by their object identifiers. */
  readonly extensions?: ReadonlyMap<string, Uint8Array>;
  /** The authority that signs it, instead of its own key: any made certificate. */
  readonly signedBy?: MadeCertificate;
}

const DAY_SECONDS = 86_400;

const KEYS = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'short-rsa': () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
};

/** Creates a certificate. No program does it, because most tests that need one run on every machine. */
export function makeCertificate(options: CertificateOptions = {}): MadeCertificate {
  const { name = 'login.test', days = 30, key: kind = 'ec', folder = temporaryFolder('certificate') } = options;
  const { names = 'IP:127.0.0.1,DNS:localhost', signedBy, subject = `/CN=${name}` } = options;
  const { isAuthority = true, extensions = new Map<string, Uint8Array>() } = options;
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const { publicKey, privateKey } = KEYS[kind]();
  const notBefore = new SystemClock().seconds();
  const attributes = Array.from(
    subject.matchAll(/\/([A-Z]+)=([^/]+)/g),
    ([, type = '', value = '']) => [type, value] as const,
  );
  const facts = { publicKey, subject: attributes, names, isAuthority, extensions };
  const issuer = signedBy
    ? { key: createPrivateKey(readFileSync(signedBy.key)), certificate: new X509Certificate(signedBy.pem).raw }
    : { key: privateKey };
  const bytes = certificateOf({ ...facts, notBefore, notAfter: notBefore + days * DAY_SECONDS }, issuer);
  // Not by X509Certificate, which prefers a PEM text inside of the bytes.
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  writeFileSync(certificate, pem);
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  chmodSync(key, 0o600);
  return { folder, certificate, key, pem };
}

/** The same key, encrypted with a password. */
export function encryptedKey({ folder, key }: MadeCertificate, password: string): string {
  const file = join(folder, 'encrypted.key');
  const encryption = { cipher: 'aes-256-cbc', passphrase: password };
  writeFileSync(file, createPrivateKey(readFileSync(key)).export({ format: 'pem', type: 'pkcs8', ...encryption }));
  chmodSync(file, 0o600);
  return file;
}

/** Certificate and key in one PKCS12 file, by `openssl`, which tests need for it; `parts` adds authorities, leaves one of the two out, or encrypts as old programs did. */
export function keyStore(made: MadeCertificate, password: string | Buffer, parts: readonly string[] = []): string {
  const file = join(made.folder, `store${parts.map((part) => basename(part)).join('')}.p12`);
  const from = parts.includes('-nokeys') ? ['-in', made.certificate] : ['-inkey', made.key, '-in', made.certificate];
  const passwordFile = join(made.folder, 'password');
  writeFileSync(passwordFile, Buffer.concat([Buffer.from(password), Buffer.from('\n')]));
  openssl('pkcs12', '-export', ...parts, ...from, '-out', file, '-passout', `file:${passwordFile}`);
  chmodSync(file, 0o600);
  return file;
}

function openssl(...args: readonly string[]): void {
  execFileSync(programOf('openssl'), args, { stdio: 'pipe' });
}
