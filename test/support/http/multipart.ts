export const BOUNDARY = 'boundary-of-the-tests';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export interface TextPart {
  /** Name of the part. */
  readonly field: string;
  readonly text: string;
}

export interface FilePart {
  readonly content: string | Uint8Array;
  /** Name of the part. */
  readonly field?: string;
  readonly fileName?: string;
  readonly mediaType?: string;
}

/** The body of an upload as a browser sends it. */
export function multipart(...parts: readonly (FilePart | TextPart)[]): Buffer {
  const pieces = parts.flatMap((part) => ('text' in part ? piecesOfText(part) : piecesOfFile(part)));
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

function piecesOfText({ field, text }: TextPart): readonly string[] {
  return [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${text}\r\n`];
}

function piecesOfFile({
  content,
  field = 'file',
  fileName = 'file',
  mediaType,
}: FilePart): readonly FilePart['content'][] {
  return [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\n`,
    `${mediaType === undefined ? '' : `Content-Type: ${mediaType}\r\n`}\r\n`,
    content,
    '\r\n',
  ];
}
