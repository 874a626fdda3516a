import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';

/** Metadata as fetched from a URL. */
interface StoredMetadata {
  readonly document: string;
  /** Epoch seconds. */
  readonly fetchedAt: number;
}

const FIND = 'SELECT document, fetched_at FROM saml_metadata WHERE idp = ? AND url = ?';
const RENEW = 'UPDATE saml_metadata SET url = ?, document = ?, fetched_at = ? WHERE idp = ? AND fetched_at <= ?';
const INSERT = 'INSERT INTO saml_metadata (url, document, fetched_at, idp) VALUES (?, ?, ?, ?)';

interface Row {
  readonly document: string;
  readonly fetched_at: number;
}

/** The last valid metadata of each identity provider, for a start while its URL cannot be reached. */
@Injectable()
export class IdpMetadataStore {
  /** Undefined also if the stored metadata came from another URL. */
  async find(tx: Tx, idp: string, url: string): Promise<StoredMetadata | undefined> {
    const [row] = await tx.rows<Row>(FIND, [idp, url]);
    return row && { document: row.document, fetchedAt: row.fetched_at };
  }

  /** Keeps metadata that another process fetched later. */
  async save(tx: Tx, idp: string, url: string, { document, fetchedAt }: StoredMetadata): Promise<void> {
    const values = [url, document, fetchedAt, idp];
    const count = await tx.change(RENEW, [...values, fetchedAt]);
    if (count === 0) await tx.insert(INSERT, values);
  }
}
