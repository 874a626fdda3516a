import type { SamlBinding } from '../idp/idp-trust.js';

/** Namespaces of SAML 2.0 (core 1.2, metadata 1.1), of XML signatures and of XML encryption. */
export const NAMESPACE = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const;

/** SAML bindings 3.4 and 3.5. */
export const BINDING_URI: Readonly<Record<SamlBinding, string>> = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
};

/** The algorithm of our signatures: RSA with SHA-256 (RFC 9231, 2.3.2). */
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/** The two transforms of a SAML signature (core 5.4.4). */
export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** Decodes base64 strictly: Node ignores what it cannot decode, so only its own spelling is accepted. */
export function decodeBase64(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : undefined;
}

/** Decodes UTF-8 without a byte order mark; undefined for anything else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith('\ufeff') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Characters of a foreign text in a report or the log. */
const MAX_PRINTED_LENGTH = 120;

/** Makes a name or URL that another party chose safe for a report and the log. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, MAX_PRINTED_LENGTH);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Parsers normalize these in attributes, and line ends everywhere, unless they are references.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes text for an element or an attribute in double quotes. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\t\n\r]/g, (char) => ESCAPES[char] ?? '');
}

/** ` name="value"`, or an empty text without a value. */
export function xmlAttribute(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;
}

/** A character that no XML document may contain (XML 1.0, 2.2). */
export const ILLEGAL_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Replaces references to no character; it is not a legal character itself. */
const NOTHING = '\0';
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/g;

/** Resolves the references in text of a document; undefined for a reference that needs a DTD or names no character. */
export function unescapeXml(text: string): string | undefined {
  if (text.includes(']]>')) return undefined;
  if (!text.includes('&')) return text;
  if (text.replace(REFERENCE, '').includes('&')) return undefined;
  const plain = text.replace(REFERENCE, (_, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return CHARACTERS[name] ?? NOTHING;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10);
    return code > 0x10ffff ? NOTHING : String.fromCodePoint(code);
  });
  return ILLEGAL_CHARACTER.test(plain) ? undefined : plain;
}

const UTC = /^(\d{4}-\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,20}))?Z$/;
const DAY_MILLIS = 86_400_000;
const DURATION = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** Seconds of a positive `xs:duration`, with months of 30 and years of 365 days; undefined for any other text. */
export function durationSeconds(text: string): number | undefined {
  const match: readonly (string | undefined)[] | null = DURATION.exec(text);
  if (!match) return undefined;
  const [, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.map((part = '0') =>
    Number(part),
  );
  return (((years * 365 + months * 30 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/**
 * Milliseconds since 1970 of an `xs:dateTime` of a message, in UTC; undefined for every other text. A finer fraction is
 * cut off, since senders must not rely on more than milliseconds, and there are no leap seconds (SAML core 1.3.3).
 */
export function millisOfInstant(text: string): number | undefined {
  const parts = UTC.exec(text);
  if (parts === null) return undefined;
  const [, month = '', day = '', hour = '', minute = '', second = '', fraction = ''] = parts;
  const firstOfMonth = Date.parse(`${month}-01T00:00:00.000Z`);
  const midnight = firstOfMonth + (Number(day) - 1) * DAY_MILLIS;
  // Neither 30 February nor a day 0: the day must fall into its month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(`${month}-${day}`)) return undefined;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  return midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + millis;
}

/** Milliseconds since 1970 of an `xs:dateTime` in metadata, which may have another time zone or none (UTC). */
export function millisOfDateTime(text: string): number | undefined {
  const [, local, zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const millis = Date.parse(`${local ?? ''}${zone}`);
  return Number.isNaN(millis) ? undefined : millis;
}
