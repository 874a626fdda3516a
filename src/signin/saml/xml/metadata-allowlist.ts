import { parseXml, type XmlElement, type XmlLimits } from './xml-reader.js';

/** In bytes. The metadata of one identity provider has some ten thousand, those of a federation have millions. */
export const MAX_METADATA_LENGTH = 5 * 1024 * 1024;

const MAX_DEPTH = 100;
const LIMITS: XmlLimits = {
  depth: MAX_DEPTH,
  elements: Infinity,
  attributes: Infinity,
  elementAttributes: 1000,
  prefixes: 128,
  allowsMisc: true,
};

/**
 * Reads metadata in one pass whose cost grows with its length alone. Only metadata that passes is given to the DOM parser,
 * which costs more for text that is not well-formed and reads a DOCTYPE.
 */
export function readMetadataXml(xml: string): XmlElement | { readonly problem: string } {
  if (xml.length > MAX_METADATA_LENGTH) return { problem: 'larger than 5 MB' };
  if (!isUtf8(xml)) return { problem: 'not in UTF-8' };
  const result = parseXml(xml, LIMITS);
  if ('root' in result) return result.root;
  switch (result.rejection) {
    case 'doctype':
      return { problem: 'contains a DOCTYPE' };
    case 'too_deep':
      return { problem: `elements are nested more than ${MAX_DEPTH} levels deep` };
    default:
      return { problem: /<[^!?]/.test(xml) ? `not well-formed XML (line ${result.line})` : 'empty' };
  }
}

/** Whether the XML declaration agrees with the encoding by which the bytes were decoded. */
function isUtf8(xml: string): boolean {
  const [, encoding = 'utf-8'] = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(xml) ?? [];
  return /^(?:utf-8|us-ascii)$/i.test(encoding);
}
