import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { generateCode, generateCodes, shownCode, type StoredCode, storedCode, storedForms } from './backup-code.js';
import { BackupCodeProperties } from './backup-code.properties.js';
import { BackupCodeStore } from './backup-code.store.js';
import { ShownCodesStore } from './shown-codes.store.js';

/** Sets of backup codes; the row of the account, which the caller has locked, names its active set. */
@Injectable()
export class BackupCodes {
  constructor(
    private readonly store: BackupCodeStore,
    private readonly random: Random,
    private readonly properties: BackupCodeProperties,
    private readonly shown: ShownCodesStore,
  ) {}

  /** Stores a new set and returns its codes as they are shown, once. */
  async issue(tx: Tx, subject: string, setId: string): Promise<readonly string[]> {
    const codes = generateCodes((length) => this.random.bytes(length));
    await this.store.insert(
      tx,
      subject,
      setId,
      codes.map((code) => storedCode(code, this.properties.active)),
    );
    return codes.map(shownCode);
  }

  /** A random code that belongs to no set, as it is shown, once, and as it is stored. */
  createOne(): { readonly shown: string; readonly stored: StoredCode } {
    const code = generateCode((length) => this.random.bytes(length));
    return { shown: shownCode(code), stored: storedCode(code, this.properties.active) };
  }

  /** Every form in which a normalised code can be stored. */
  formsOf(code: string): readonly StoredCode[] {
    return storedForms(code, this.properties.all);
  }

  /** Uses up a normalised code; false if it is not in the set, or no longer. */
  consume(tx: Tx, subject: string, setId: string, code: string): Promise<boolean> {
    return this.store.consume(tx, subject, setId, this.formsOf(code));
  }

  remaining(tx: Tx, subject: string, setId: string): Promise<number> {
    return this.store.count(tx, subject, setId);
  }

  /** Deletes the codes of all other sets of the account. */
  async keepOnly(tx: Tx, subject: string, setIds: readonly string[]): Promise<void> {
    await this.store.keepOnly(tx, subject, setIds);
    await this.shown.keepOnly(tx, subject, setIds);
  }
}
