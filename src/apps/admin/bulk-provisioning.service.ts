import { Injectable } from '@nestjs/common';
import { AccountImport } from '../../identity/account/import/account-import.service.js';
import type { ImportFile } from '../../identity/account/import/import-file.js';
import type { ImportReport, ImportRow } from '../../identity/account/import/import-row.js';
import type { Permit } from '../../signin/auth/guards/permit.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { ImportedTotps } from '../../identity/second-factor/totp/totp-import.service.js';
import type { Act, Actor } from './act.js';
import { type ActRule, AdminActs } from './admin-acts.service.js';
import { ProtectedRoles } from './protected-roles.service.js';

const PREVIEW: ActRule = { name: 'previewImport' };
const IMPORT: ActRule = { name: 'import' };

/** Creates the accounts of a file for an administrator, for commands, HTTP and pages. */
@Injectable()
export class BulkProvisioning {
  constructor(
    private readonly accounts: AccountImport,
    private readonly totps: ImportedTotps,
    private readonly acts: AdminActs,
    private readonly protectedRoles: ProtectedRoles,
  ) {}

  /** Reports what an import of these rows would do now, and stores nothing. @throws ServiceError `ACCESS_DENIED` */
  preview(rows: AsyncIterable<ImportRow>, act: Actor): Promise<ImportReport> {
    return this.acts.perform(PREVIEW, undefined, act, () => this.accounts.preview(rows, { totps: this.totps }));
  }

  /**
   * Creates the accounts of a file with their authenticators. The file is read twice unless `isPartial`. Each transaction that creates accounts verifies the `permit` of the caller, if there is one.
   * @throws ServiceError `VALIDATION_FAILED`; `ACCESS_DENIED`; `UNAVAILABLE`; as `Permit.hold` does
   */
  import(
    file: ImportFile,
    { isPartial, permit, ...act }: Act & { readonly isPartial: boolean; readonly permit?: Permit },
  ): Promise<ImportReport> {
    const { totps } = this;
    const protectedRoles = this.protectedRoles.names;
    return this.acts.perform(IMPORT, undefined, act, () =>
      this.accounts.run(() => file.rows(), {
        actor: act.actor,
        file,
        protectedRoles,
        isPartial,
        totps,
        ...(permit && { admit: (tx: Tx) => permit.hold(tx) }),
      }),
    );
  }
}
