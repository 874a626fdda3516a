import { X509Certificate } from 'node:crypto';
import { readWholeFile } from '../../../../kernel/files/whole-file.js';
import { type MetadataSigners, readMetadata } from './authenticator-metadata.js';
import { type MetadataContents, UnusableMetadata } from './authenticator-model.js';

/** Several times the BLOB of FIDO. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Names in the certificate with which FIDO signs its BLOB. */
const FIDO_HOSTS = ['mds.fidoalliance.org', 'mds3.fidoalliance.org'];

/** Absolute paths of the metadata, and of the root certificates of a private metadata service. */
export interface MetadataPaths {
  readonly metadata: string;
  readonly root: string | undefined;
}

/**
 * Reads a file of metadata.
 * @throws UnusableMetadata
 */
export async function readMetadataFile({ metadata, root }: MetadataPaths, now: number): Promise<MetadataContents> {
  const signers = root === undefined ? await fidoSigners() : { roots: certificatesIn(root), hosts: undefined };
  return readMetadata(textOf(metadata, 'it'), signers, now);
}

async function fidoSigners(): Promise<MetadataSigners> {
  const { SettingsService } = await import('@simplewebauthn/server');
  const roots = SettingsService.getRootCertificates({ identifier: 'mds' });
  return { roots: roots.map((pem) => new X509Certificate(pem)), hosts: FIDO_HOSTS };
}

function certificatesIn(path: string): readonly X509Certificate[] {
  const blocks = textOf(path, 'the file of metadata-root').match(
    /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs,
  );
  if (!blocks) throw new UnusableMetadata('the file of metadata-root contains no certificate');
  try {
    return blocks.map((pem) => new X509Certificate(pem));
  } catch (cause) {
    throw new UnusableMetadata('a certificate of metadata-root cannot be read', { cause });
  }
}

function textOf(path: string, name: string): string {
  try {
    const found = readWholeFile(path, MAX_BYTES);
    if (found === 'not a file') throw new UnusableMetadata(`${name} is not a file`);
    if (found === 'too large') throw new UnusableMetadata(`${name} is larger than 64 MB`);
    return found.bytes.toString('utf8');
  } catch (cause) {
    if (cause instanceof UnusableMetadata) throw cause;
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new UnusableMetadata(`${name} cannot be read (${code})`, { cause });
  }
}
