import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';

const COUNT = 'UPDATE metadata_request SET requests = requests + 1 WHERE idp = ?';
const INSERT = 'INSERT INTO metadata_request (idp, requests) VALUES (?, 1)';
const ALL = 'SELECT idp, requests FROM metadata_request';

/** Table `metadata_request`: how often operators requested a new reading, which each replica compares with what it saw. */
@Injectable()
export class MetadataRequestStore {
  async add(tx: Tx, idp: string): Promise<void> {
    if ((await tx.change(COUNT, [idp])) > 0 || (await tx.insert(INSERT, [idp]))) return;
    // Another command inserted the row in between.
    await tx.change(COUNT, [idp]);
  }

  async counts(tx: Tx): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.rows<{ readonly idp: string; readonly requests: number }>(ALL);
    return new Map(rows.map(({ idp, requests }) => [idp, requests]));
  }
}
