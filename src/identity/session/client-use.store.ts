import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import type { ClientUse } from './client-use.js';

/** A session of an application ends with that of its browser, unless it is offline. */
const BY_CLIENT = `SELECT own.client_id AS client_id, COUNT(*) AS number, MAX(own.last_used_at) AS last_used_at
  FROM session own LEFT JOIN session parent ON parent.id = own.parent_id
  WHERE own.client_id IS NOT NULL AND own.expires_at > ? AND (own.kind = 'offline' OR parent.expires_at > ?)
  GROUP BY own.client_id`;

/** Counts the live sessions of table `session` by client. */
@Injectable()
export class ClientUseStore {
  byClient(tx: Tx, now: number): Promise<readonly ClientUse[]> {
    return tx.rows<ClientUse>(BY_CLIENT, [now, now]);
  }
}
