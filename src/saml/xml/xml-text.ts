/** What base64 stands for; undefined for what is none. Node reads that as far as it likes: only what it would write is taken. */
export function decodeBase64(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : undefined;
}

/** A text in UTF-8 without byte order mark; undefined for what is none. */
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
  // Whoever reads an attribute takes these for spaces, and line ends for one kind, unless they are references.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** A text as it stands in an element or between double quotes, so that it is read as it was. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\t\n\r]/g, (char) => ESCAPES[char] ?? '');
}

/** ` name="value"`, or nothing where there is no value. */
export function xmlAttribute(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;
}
