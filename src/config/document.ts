import { type Origin, originText, type Resource } from './origin.js';
import { ConfigurationFailure, problem } from './problem.js';
import { readProperties } from './properties-document.js';
import type { Entry } from './source.js';
import { readYaml } from './yaml-document.js';

export type Format = 'yaml' | 'properties';

/** Entries of one document, in the order they were written. */
export type Document = readonly Entry[];

/** Reads all documents of a file; a later document of one file wins over an earlier (configuration.md b.4). */
export function readDocuments(text: string, format: Format, resource: Resource, parent?: Origin): readonly Document[] {
  const documents = format === 'yaml' ? readYaml(text, resource, parent) : readProperties(text, resource, parent);
  for (const document of documents) refuseTwoSpellings(document);
  return documents;
}

/** `maximum-pool-size` and `maximumPoolSize` side by side: which of them counts would be an accident. */
function refuseTwoSpellings(document: Document): void {
  const seen = new Map<string, Entry>();
  for (const entry of document) {
    const other = seen.get(entry.key.uniform);
    if (other) {
      throw new ConfigurationFailure([
        problem('One document sets the same key twice', 'Keep one of the two.', {
          First: `${other.spelled} at ${originText(other.origin)}`,
          Second: `${entry.spelled} at ${originText(entry.origin)}`,
        }),
      ]);
    }
    seen.set(entry.key.uniform, entry);
  }
}
