/** The parts of a mail that tests look at, decoded (RFC 2045, RFC 2047). */
export interface MimeParts {
  /** The raw lines of the header, unfolded. */
  readonly header: readonly string[];
  readonly messageId: string;
  readonly noticeId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const ENCODED_WORD = /=\?utf-8\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi;

export function mimePartsOf(raw: string): MimeParts {
  const { header, body } = entityOf(raw);
  const value = (name: string): string => valueOf(header, name);
  const boundary = /boundary="?([^";]+)"?/i.exec(value('content-type'))?.[1];
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const decoded = parts.map((part) => entityOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
  const contentOf = (type: string): string => {
    const part = decoded.find((each) => valueOf(each.header, 'content-type').startsWith(type));
    return part === undefined ? '' : contentText(part);
  };
  return {
    header,
    messageId: value('message-id'),
    noticeId: value('x-login-notice-id'),
    subject: value('subject').replaceAll(ENCODED_WORD, (_, form: string, text: string) =>
      form.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : quotedPrintable(text.replaceAll('_', ' ')),
    ),
    text: contentOf('text/plain'),
    html: contentOf('text/html'),
  };
}

interface Entity {
  readonly header: readonly string[];
  readonly body: string;
}

function entityOf(raw: string): Entity {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  return { header, body: raw.slice(end + 4) };
}

function valueOf(header: readonly string[], name: string): string {
  const line = header.find((each) => each.toLowerCase().startsWith(`${name}:`)) ?? '';
  return line.slice(name.length + 1).trim();
}

function contentText({ header, body }: Entity): string {
  const encoding = valueOf(header, 'content-transfer-encoding').toLowerCase();
  if (encoding === 'base64') return withLineFeeds(Buffer.from(body, 'base64').toString('utf8'));
  if (encoding === 'quoted-printable') return withLineFeeds(quotedPrintable(body.replaceAll('=\r\n', '')));
  return withLineFeeds(Buffer.from(body, 'latin1').toString('utf8'));
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function quotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
