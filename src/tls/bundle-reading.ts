import type { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { readWholeFile } from '../files/whole-file.js';
import { resolve } from 'node:path';

/** Far more than a chain of certificates takes. */
const MAX_BYTES = 1024 * 1024;

/** What keeps a bundle from being used: the member at fault, why, and what to do. No text of it quotes a file or a value. */
export interface BundleFault {
  /** Key below the name of the bundle, e.g. `keystore.certificate`. */
  readonly member: string;
  readonly file?: string;
  readonly reason: string;
  readonly action: string;
}

/** What was read of a bundle. */
export interface BundleContents {
  /** Own key and certificate, for `tls.createSecureContext`; undefined for a bundle that only trusts. */
  readonly identity: Pick<SecureContextOptions, 'cert' | 'key' | 'passphrase' | 'pfx'> | undefined;
  /** The own certificate, then those of the authorities sent along, as far as they can be looked at. */
  readonly chain: readonly X509Certificate[];
  /** PEM text of the authorities that are trusted; undefined for those the runtime knows. */
  readonly trusted: string | undefined;
}

/** Thrown inside the folder where the reading of a bundle ends. */
export class UnusableBundle extends Error {
  constructor(
    readonly fault: BundleFault,
    options?: ErrorOptions,
  ) {
    super(fault.reason, options);
    this.name = 'UnusableBundle';
  }
}

/** All of a file that the value of a member names. */
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

/** The absolute path of the file that a value names, with or without `file:`. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^file:(?:\/\/(?=\/))?/, ''));
}

/** The same for a value that may also be a PEM text, which names none. */
export function fileOf(value: string): string | undefined {
  return value.includes('-----BEGIN ') ? undefined : pathOf(value);
}
