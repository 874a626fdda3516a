import { readMetadataFile } from './metadata-file.js';
import { MetadataFailure } from './metadata-failure.js';
import { metadataSource } from './metadata-source.js';

/** Keys of an identity provider that tell its entity id. */
interface Configured {
  readonly metadata?: string;
  readonly entityId?: string;
  readonly ssoBinding: 'redirect' | 'post';
  readonly metadataCertificate?: string;
}

/**
 * The entity id that assertions of an identity provider name, without asking it: by hand or from a file. Undefined where
 * its metadata stand at a URL.
 *
 * @throws MetadataFailure where the file cannot be used
 */
export async function configuredEntityId(keys: Configured): Promise<string | undefined> {
  const { metadata, entityId } = keys;
  if (entityId !== undefined || metadata === undefined) return entityId;
  const source = metadataSource(metadata);
  if (source.kind === 'url') return undefined;
  const { readConfigured: readAs } = await import('./idp-metadata.js');
  const reading = readAs(await readMetadataFile(source.file), keys);
  if ('fault' in reading) throw new MetadataFailure(reading.fault);
  return reading.trust.entityId;
}
