import sax from 'sax';
import { MAX_METADATA_LENGTH } from '../idp/metadata-source.js';

const DEEPEST = 100;

/**
 * What keeps a text from being parsed as metadata; undefined where nothing does. In one pass that costs as much as the text
 * is long, because the parser behind it costs more for a text that is not well-formed, and would read a DOCTYPE.
 */
export function shapeFault(xml: string): string | undefined {
  if (xml.length > MAX_METADATA_LENGTH) return 'they are larger than 5 MB';
  let fault: string | undefined;
  const seen = { depth: 0, elements: 0 };
  const reader = sax.parser(true, { xmlns: true });
  const end = (reason: string): never => {
    fault ??= reason;
    throw new Error(reason);
  };
  reader.onerror = () => end(`they are not well-formed XML (line ${reader.line + 1})`);
  reader.ondoctype = () => end('they have a DOCTYPE');
  reader.onsgmldeclaration = () => end('they have a declaration that XML does not know');
  reader.onprocessinginstruction = ({ name, body }) => {
    if (name === 'xml' && !isUtf8(body)) end('they are not in UTF-8');
  };
  reader.onopentag = () => {
    seen.elements += 1;
    seen.depth += 1;
    if (seen.depth > DEEPEST) end(`their elements stand more than ${DEEPEST} deep in each other`);
  };
  reader.onclosetag = () => {
    seen.depth -= 1;
  };
  try {
    reader.write(xml).close();
  } catch (error) {
    if (fault === undefined) throw error;
  }
  return fault ?? (seen.elements === 0 ? 'they are empty' : undefined);
}

/** What the XML declaration says of the encoding, which has been decoded as UTF-8 already. */
function isUtf8(declaration: string): boolean {
  const [, encoding = 'utf-8'] = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration) ?? [];
  return /^(?:utf-8|us-ascii)$/i.test(encoding);
}
