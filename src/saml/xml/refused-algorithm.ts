import { elementsIn } from './document-allowlist.js';
import { readXml } from './xml-reader.js';
import { NAMESPACE } from './saml-uris.js';
import { ACCEPTED_ALGORITHMS } from './signature-allowlist.js';

const MAX_NAME_LENGTH = 120;

/** Name of the first algorithm in a signature of the text that is not accepted, for the log; undefined where there is none. */
export function rejectedAlgorithm(xml: string): string | undefined {
  const document = readXml(xml);
  if (typeof document === 'string') return undefined;
  const signatures = [...elementsIn(document)].filter(({ name }) => name === 'Signature');
  for (const { name, namespace, attributes } of signatures.flatMap((signature) => [...elementsIn(signature)])) {
    const accepted = namespace === NAMESPACE.signature ? ACCEPTED_ALGORITHMS.get(name) : undefined;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (accepted?.includes(algorithm) === false) return printableAlgorithm(algorithm);
  }
  return undefined;
}

/** A name that someone else wrote, as a log may have it. */
export function printableAlgorithm(name: string): string {
  return name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, MAX_NAME_LENGTH);
}
