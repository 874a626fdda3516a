import type { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { readWholeFile } from '../../kernel/files/whole-file.js';
import { resolve } from 'node:path';

/** Maximum size of a file; far more than a chain of certificates takes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reason why a bundle cannot be used: the member, the reason and an action. None of the texts quotes a file or a value.
 */
export interface BundleProblem {
  /** Key below the name of the bundle, e.g. `keystore.certificate`. */
  readonly member: string;
  readonly file?: string;
  readonly reason: string;
  readonly action: string;
}

/** A server needs a certificate of its own; a client uses the trusted authorities, if there are any. */
export type TlsRole = 'server' | 'client';

/** Content of a bundle. */
export interface BundleContents {
  /** Format of the bundle: PEM files or texts, or a key store. */
  readonly form: 'pem' | 'store';
  /**
   * Own key and certificate for `tls.createSecureContext`; undefined for a bundle that contains only trusted
   * certificates.
   */
  readonly identity: Pick<SecureContextOptions, 'cert' | 'key' | 'passphrase' | 'pfx'> | undefined;
  /** The own certificate and its authorities, as far as they can be read. */
  readonly chain: readonly X509Certificate[];
  /** The trusted authorities; undefined for those of the runtime. */
  readonly trusted: readonly X509Certificate[] | undefined;
}

/** Thrown inside this folder if a bundle cannot be read. */
export class UnusableBundle extends Error {
  constructor(
    readonly problem: BundleProblem,
    options?: ErrorOptions,
  ) {
    super(problem.reason, options);
    this.name = 'UnusableBundle';
  }
}

/** Reads the file that a member names. @throws UnusableBundle */
export function bytesOf(file: string, member: string): Buffer {
  const action = 'Check the path, and that this user may read the file and enter its folders.';
  try {
    const found = readWholeFile(file, MAX_BYTES);
    if (found === 'not a file') throw new UnusableBundle({ member, file, reason: 'it is not a file', action });
    if (found === 'too large') throw new UnusableBundle({ member, file, reason: 'it is larger than 1 MB', action });
    return found.bytes;
  } catch (cause) {
    if (cause instanceof UnusableBundle) throw cause;
    throw new UnusableBundle({ member, file, reason: whyUnread(cause), action }, { cause });
  }
}

function whyUnread(cause: unknown): string {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such file (${code})`;
  return code === 'EACCES' ? `this user may not read it (${code})` : `it cannot be read (${code})`;
}

/** The code of an error of the cryptography library; its messages expose internals. */
export function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** The absolute path of a file, written with or without `file:`. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^file:(?:\/\/(?=\/))?/, ''));
}

/** The absolute path of a file; undefined for a PEM text. */
export function fileOf(value: string): string | undefined {
  return value.includes('-----BEGIN ') ? undefined : pathOf(value);
}

/**
 * Text of a distinguished name on one line. A certificate whose names are all in its extension has an empty subject
 * (RFC 5280 section 4.1.2.6), for which Node returns undefined in spite of its type.
 */
export function distinguishedName(name: string | undefined): string {
  return name?.replaceAll('\n', ', ') ?? '';
}

/** The subject of a certificate, or else its alternative names. */
export function certificateName({ subject, subjectAltName }: X509Certificate): string {
  return distinguishedName(subject) || (subjectAltName ?? 'without a name');
}
