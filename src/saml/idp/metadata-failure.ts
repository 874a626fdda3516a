/** Metadata that could not be read; the message is the end of a sentence that begins with them. */
export class MetadataFailure extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'MetadataFailure';
  }
}

/** @throws MetadataFailure where the bytes are no UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new MetadataFailure('they are not in UTF-8', cause);
  }
}
