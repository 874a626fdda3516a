import { type Origin, originChain, positionIn, type Resource } from './origin.js';
import { ConfigurationFailure, problem, unreadable } from '../problem.js';
import { readProperties } from './properties-document.js';
import type { Entry } from './source.js';
import { readYaml } from './yaml-document.js';

export type DocumentFormat = 'yaml' | 'properties';

/** Entries of one document, in the order they were written. */
export type Document = readonly Entry[];

/** Limits of a configuration file. */
const MAX_DOCUMENTS = 1_000;
const MAX_PARTS = 100;

/**
 * Reads all documents of a file; a later document of one file wins over an earlier (configuration-sources.md, "Files,
 * profiles, imports").
 */
export function readDocuments(
  text: string,
  format: DocumentFormat,
  resource: Resource,
  parent?: Origin,
): readonly Document[] {
  return uncheckedDocuments(text, format, resource, parent).map(checked);
}

/** Reads documents without checking for duplicate and overlong keys. */
export function uncheckedDocuments(
  text: string,
  format: DocumentFormat,
  resource: Resource,
  parent?: Origin,
): readonly Document[] {
  const documents: Document[] = [];
  for (const document of format === 'yaml'
    ? readYaml(text, resource, parent)
    : readProperties(text, resource, parent)) {
    if (documents.length === MAX_DOCUMENTS) {
      const start: Origin = positionIn(resource, 1, 1, parent);
      throw unreadable(document[0]?.origin ?? start, `more than ${MAX_DOCUMENTS} documents`);
    }
    documents.push(document);
  }
  return documents;
}

/** Rejects two spellings of one key, such as `maximum-pool-size` and `maximumPoolSize`: neither has precedence. */
export function checked(document: Document): Document {
  const long = document.find(({ key }) => key.length > MAX_PARTS);
  if (long) throw unreadable(long.origin, `a key of more than ${MAX_PARTS} parts`);
  const seen = new Map<string, Entry>();
  for (const entry of document) {
    const other = seen.get(entry.key.uniform);
    if (other) {
      throw new ConfigurationFailure([
        problem('One document sets the same key twice', 'Keep one of the two.', {
          First: `${other.spelled} at ${originChain(other.origin)}`,
          Second: `${entry.spelled} at ${originChain(entry.origin)}`,
        }),
      ]);
    }
    seen.set(entry.key.uniform, entry);
  }
  return document;
}
