export const BOUNDARY = 'boundary-of-the-tests';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export interface FilePart {
  readonly content: string | Uint8Array;
  /** Name of the part. */
  readonly field?: string;
  readonly fileName?: string;
  readonly mediaType?: string;
}

/** The body of an upload as a browser sends it. */
export function multipart(...parts: readonly FilePart[]): Buffer {
  const pieces = parts.flatMap(({ content, field = 'file', fileName = 'file', mediaType }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\n`,
    `${mediaType === undefined ? '' : `Content-Type: ${mediaType}\r\n`}\r\n`,
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}
