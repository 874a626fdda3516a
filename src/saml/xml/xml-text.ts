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
