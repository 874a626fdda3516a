import { Injectable } from '@nestjs/common';
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Sealer } from '../../../platform/sealing/sealer.js';
import type { ChainHead, HeadState, SealedHead } from './event-batch.js';

/**
 * Authenticates the head of the chain of events by HMAC-SHA-256. The head alone is enough, because its hash depends on all
 * batches: so an earlier head cannot be made up from the tables, and a seal key can be removed once the head is under another.
 */
@Injectable()
export class ChainSeal {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor(private readonly sealer: Sealer) {
    const keys = sealer.derivedKeys('event-chain');
    this.keys = new Map(sealer.keyIds.flatMap((id, index) => (keys[index] ? [[id, keys[index]]] : [])));
  }

  seal(head: ChainHead): SealedHead {
    const seal_key = this.sealer.activeKeyId;
    return { ...head, seal_key, mac: this.mac(seal_key, head)?.toString('base64url') ?? '' };
  }

  stateOf(head: SealedHead): HeadState {
    const expected = this.mac(head.seal_key, head);
    if (!expected) return 'unknown key';
    const stored = Buffer.from(head.mac, 'base64url');
    return stored.length === expected.length && timingSafeEqual(stored, expected) ? 'authentic' : 'changed';
  }

  private mac(id: string, { batch, hash, deleted, deleted_hash }: ChainHead): Buffer | undefined {
    const key = this.keys.get(id);
    return (
      key &&
      createHmac('sha256', key)
        .update(JSON.stringify([batch, hash, deleted, deleted_hash]))
        .digest()
    );
  }
}
