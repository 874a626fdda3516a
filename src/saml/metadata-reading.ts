import { certificatesAt } from './idp-certificates.js';
import { type MetadataFault, type MetadataReading, readMetadata } from './idp-metadata.js';

/** Keys that say what is looked for in metadata. */
interface Configured {
  readonly entityId?: string;
  readonly ssoBinding: 'redirect' | 'post';
  readonly metadataCertificate?: string;
}

/** Reads metadata as an identity provider is configured; with `metadata-certificate` only what it has signed. */
export function readAs(document: string, keys: Configured): MetadataReading | MetadataFault {
  const { entityId, ssoBinding: binding, metadataCertificate } = keys;
  const wanted = { ...(entityId !== undefined && { entityId }), binding };
  if (metadataCertificate === undefined) return readMetadata(document, wanted);
  const signedBy = certificatesAt(metadataCertificate);
  if ('fault' in signedBy) return { fault: `they cannot be checked by metadata-certificate: ${signedBy.fault}` };
  return readMetadata(document, { ...wanted, signedBy });
}
