import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Sealer, SealFailure } from '../../../platform/sealing/sealer.js';
import type { CodesOccasion, CodesOwner, ShownCodes } from './shown-codes.js';
import { ShownCodesStore } from './shown-codes.store.js';

/** Seconds in which a page shows new codes again, as long as a pending secret can be confirmed. */
const SHOWN_SECONDS = 600;

/**
 * Keeps new backup codes for the page of the session that created them, until its user confirms that they are saved: a reload
 * must not lose them. They are sealed with the id of the user.
 */
@Injectable()
export class ShownBackupCodes {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: ShownCodesStore,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async keep(owner: CodesOwner, codes: readonly string[], occasion: CodesOccasion): Promise<void> {
    const createdAt = this.clock.seconds();
    const sealed = this.sealer.seal(Buffer.from(codes.join(' ')), contextOf(owner));
    const expiresAt = createdAt + SHOWN_SECONDS;
    await this.work.run((tx) => this.store.keep(tx, owner, { occasion, sealed, createdAt, expiresAt }));
  }

  /** Undefined if the session has none, or if they were confirmed, replaced, or have expired. */
  async find(owner: CodesOwner): Promise<ShownCodes | undefined> {
    const row = await this.work.single((tx) => this.store.find(tx, owner, this.clock.seconds()));
    const codes = row && this.open(owner, row.sealed);
    return codes && { codes, occasion: row.occasion, createdAt: row.created_at };
  }

  confirm(owner: CodesOwner): Promise<void> {
    return this.work.run((tx) => this.store.delete(tx, owner));
  }

  /** Undefined if the seal key was removed meanwhile: the user creates new codes then. */
  private open(owner: CodesOwner, sealed: string): readonly string[] | undefined {
    try {
      return this.sealer.open(sealed, contextOf(owner)).toString().split(' ');
    } catch (error) {
      if (error instanceof SealFailure) return undefined;
      throw error;
    }
  }
}

function contextOf({ subject }: CodesOwner): string {
  return `backup-codes:${subject}`;
}
