import { elementsIn } from './document-allowlist.js';
import { readMarkup } from './xml-reader.js';
import { NAMESPACE } from './saml-uris.js';
import { ACCEPTED_ALGORITHMS } from './signature-allowlist.js';

const LONGEST_NAME = 120;

/** Name of the first algorithm in a signature of the text that is not accepted, for the log; undefined where there is none. */
export function refusedAlgorithm(xml: string): string | undefined {
  const document = readMarkup(xml);
  if (typeof document === 'string') return undefined;
  const signatures = [...elementsIn(document)].filter(({ name }) => name === 'Signature');
  for (const { name, namespace, attributes } of signatures.flatMap((signature) => [...elementsIn(signature)])) {
    const accepted = namespace === NAMESPACE.signature ? ACCEPTED_ALGORITHMS.get(name) : undefined;
    const algorithm = attributes.get('Algorithm') ?? '';
    if (accepted?.includes(algorithm) === false) return shownAlgorithm(algorithm);
  }
  return undefined;
}

/** A name that someone else wrote, as a log may have it. */
export function shownAlgorithm(name: string): string {
  return name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, LONGEST_NAME);
}
