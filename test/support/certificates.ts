import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { programOf } from './binaries.js';
import { temporaryFolder } from './temporary-folder.js';

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
  /** Further extensions, e.g. `basicConstraints=critical,CA:FALSE`. */
  readonly extensions?: readonly string[];
  /** The authority that signs it, instead of its own key: any made certificate. */
  readonly signedBy?: MadeCertificate;
}

const KEY_ARGUMENTS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  rsa: ['-newkey', 'rsa:2048'],
  'short-rsa': ['-newkey', 'rsa:1024'],
};

/** Creates a certificate with the program `openssl`. */
export function makeCertificate(options: CertificateOptions = {}): MadeCertificate {
  const { name = 'login.test', days = 30, key: kind = 'ec', folder = temporaryFolder('certificate') } = options;
  const { names = 'IP:127.0.0.1,DNS:localhost', signedBy, subject = `/CN=${name}`, extensions = [] } = options;
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  openssl(
    'req',
    '-x509',
    '-nodes',
    '-sha256',
    '-days',
    String(days),
    ...KEY_ARGUMENTS[kind],
    '-keyout',
    key,
    '-out',
    certificate,
    '-subj',
    subject,
    ...[`subjectAltName=${names}`, ...extensions].flatMap((extension) => ['-addext', extension]),
    ...(signedBy ? ['-CA', signedBy.certificate, '-CAkey', signedBy.key] : []),
  );
  chmodSync(key, 0o600);
  return { folder, certificate, key, pem: readFileSync(certificate, 'utf8') };
}

/** The same key, encrypted with a password. */
export function encryptedKey({ folder, key }: MadeCertificate, password: string): string {
  const file = join(folder, 'encrypted.key');
  openssl('pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-in', key, '-out', file, '-passout', `pass:${password}`);
  chmodSync(file, 0o600);
  return file;
}

/** Certificate and key in one PKCS12 file; `parts` adds authorities, leaves one of the two out, or encrypts as old programs did. */
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
