import { Injectable } from '@nestjs/common';
import type { ImportedTotp, TotpImport } from '../../account/import/import-drafts.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { importedSecret } from './imported-secret.js';
import { TotpImportProperties } from './totp-import.properties.js';
import { TotpImportStore } from './totp-import.store.js';
import { TotpSecrets } from './totp-secrets.service.js';

/** Imports the authenticators of imported accounts: they are active at once, without backup codes (authentication.md, 2.12). */
@Injectable()
export class ImportedTotps implements TotpImport {
  constructor(
    private readonly store: TotpImportStore,
    private readonly secrets: TotpSecrets,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly properties: TotpImportProperties,
  ) {}

  problem(uri: string): string | undefined {
    const secret = importedSecret(uri, this.properties.minSecretBits);
    return typeof secret === 'string' ? secret : undefined;
  }

  async insert(tx: Tx, totps: readonly ImportedTotp[]): Promise<void> {
    const activatedAt = this.clock.seconds();
    const rows = totps.map(({ subject, otpauthUri }) => {
      const key = importedSecret(otpauthUri, this.properties.minSecretBits);
      if (typeof key === 'string') throw new TypeError('an otpauth URI that was not checked before');
      const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
      return { id, subject, activatedAt, ...this.secrets.seal(subject, key) };
    });
    await this.store.insert(tx, rows);
  }

  deleteOf(tx: Tx, subjects: readonly string[]): Promise<void> {
    return this.store.deleteOf(tx, subjects);
  }
}
