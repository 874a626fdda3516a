import { placeOf } from '../../tls/place.js';

/** Bytes; metadata of one identity provider take some ten thousand, those of a federation millions. */
export const MAX_METADATA_LENGTH = 5 * 1024 * 1024;

/** Where metadata are read from. */
type MetadataSource = { readonly kind: 'file'; readonly file: string } | { readonly kind: 'url'; readonly url: string };

/** Where the key `metadata` leads. */
export function metadataSource(value: string): MetadataSource {
  return value.startsWith('file:') ? { kind: 'file', file: placeOf(value) } : { kind: 'url', url: value };
}
