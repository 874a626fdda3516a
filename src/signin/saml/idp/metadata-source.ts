import { readFile, stat } from 'node:fs/promises';
import { pathOf } from '../../../platform/tls/bundle-reading.js';
import { MAX_METADATA_LENGTH } from '../xml/metadata-allowlist.js';

/** A location of metadata. */
type MetadataSource = { readonly kind: 'file'; readonly file: string } | { readonly kind: 'url'; readonly url: string };

/** Parses the value of the key `metadata`. */
export function metadataSource(value: string): MetadataSource {
  return value.startsWith('file:') ? { kind: 'file', file: pathOf(value) } : { kind: 'url', url: value };
}

/** Metadata that could not be read; the message states why, without naming the identity provider. */
export class MetadataFailure extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'MetadataFailure';
  }
}

/** @throws MetadataFailure if the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new MetadataFailure('not in UTF-8', cause);
  }
}

/**
 * Reads a whole metadata file.
 * @throws MetadataFailure
 */
export async function readMetadataFile(file: string): Promise<string> {
  try {
    const found = await stat(file);
    // Reading a pipe or a device could block for ever.
    if (!found.isFile()) throw new MetadataFailure('not a regular file');
    if (found.size > MAX_METADATA_LENGTH) throw new MetadataFailure('larger than 5 MB');
    return decodeUtf8(await readFile(file));
  } catch (error) {
    if (error instanceof MetadataFailure) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new MetadataFailure(`the file cannot be read (${code})`, error);
  }
}

/** Keys of an identity provider that determine its entity id. */
interface Configured {
  readonly metadata?: string;
  readonly entityId?: string;
  readonly ssoBinding: 'redirect' | 'post';
  readonly metadataCertificate?: string;
}

/**
 * The entity id of an identity provider, from the configuration or from a metadata file. Undefined if its metadata is at a
 * URL, because this sends no request.
 *
 * @throws MetadataFailure if the file cannot be used
 */
export async function configuredEntityId(keys: Configured): Promise<string | undefined> {
  const { metadata, entityId } = keys;
  if (entityId !== undefined || metadata === undefined) return entityId;
  const source = metadataSource(metadata);
  if (source.kind === 'url') return undefined;
  const { readMetadata } = await import('./idp-metadata.js');
  const reading = readMetadata(await readMetadataFile(source.file), keys);
  if ('problem' in reading) throw new MetadataFailure(reading.problem);
  return reading.trust.entityId;
}
