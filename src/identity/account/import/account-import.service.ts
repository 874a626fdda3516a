import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { SecurityEvent } from '../../events/security-event.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { batchesOf } from '../../../platform/persistence/batch-size.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { STAGED } from '../account.js';
import { AccountChangesStore, type NewStatus } from '../account-changes.store.js';
import type { ImportFile } from './import-file.js';
import {
  IMPORT_BATCH,
  importBatches,
  type ImportedAccount,
  ImportDrafts,
  type TotpImport,
} from './import-drafts.service.js';
import { type ImportReport, type ImportRow, PreviewRows, type RowRejection, RowRejections } from './import-row.js';
import { type StagedImport, StagedImports } from './staged-imports.service.js';

export interface ImportOptions {
  /** Subject of an administrator, or `cli`. */
  readonly actor: string;
  /** Digest of the file, for the event of the import. */
  readonly file?: Pick<ImportFile, 'sha256'>;
  /** An account with one of these roles gets an event of its own. */
  readonly protectedRoles?: readonly string[];
  /** If true, valid rows are imported despite invalid ones; otherwise one invalid row prevents the whole import. */
  readonly isPartial?: boolean;
  readonly totps?: TotpImport;
  /** Runs first in each transaction that makes accounts usable. @throws ServiceError to end the import */
  readonly admit?: (tx: Tx) => Promise<void>;
}

/** Creates many accounts at once; a login id that is taken is an error of its row, and no account is changed. */
@Injectable()
export class AccountImport {
  constructor(
    private readonly store: AccountChangesStore,
    private readonly work: UnitOfWork,
    private readonly drafts: ImportDrafts,
    private readonly events: SecurityEvents,
    private readonly staging: StagedImports,
  ) {}

  /** `rows` begins at the first row each time it is called; it is read twice unless `isPartial`. */
  async run(rows: () => AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    return options.isPartial ? this.partial(rows(), options) : this.allOrNothing(rows, options);
  }

  /** Reports what an import would do now, and stores nothing. Rows that repeat a login id of the file are errors, too. */
  async preview(rows: AsyncIterable<ImportRow>, options: Pick<ImportOptions, 'totps'>): Promise<ImportReport> {
    const errors = new RowRejections();
    const first = new PreviewRows();
    const seen = new Set<string>();
    const roles = new Set<string>();
    let valid = 0;
    for await (const batch of importBatches(rows)) {
      const { drafts, errors: problems } = await this.drafts.check(batch, options.totps);
      const loginIds = drafts.map((draft) => this.drafts.loginIdOf(draft));
      const taken = await this.work.single((tx) => this.store.taken(tx, loginIds));
      const repeated = drafts.filter((_, index) => {
        const loginId = loginIds[index] ?? '';
        const isTaken = taken.has(loginId) || seen.has(loginId);
        seen.add(loginId);
        return isTaken;
      });
      valid += drafts.length - repeated.length;
      for (const role of drafts.flatMap(({ account }) => account.roles ?? [])) roles.add(role);
      const ofBatch = [...problems, ...repeated.map(takenError)].sort((one, other) => one.line - other.line);
      errors.add(ofBatch);
      first.add(batch, ofBatch);
    }
    return { ...errors.report(0), valid, roles: [...roles], firstRows: first.rows };
  }

  private async partial(rows: AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    let created = 0;
    let reason = 'interrupted';
    const errors = new RowRejections();
    try {
      for await (const batch of importBatches(rows)) {
        const checked = await this.drafts.check(batch, options.totps);
        const ready = await this.drafts.accounts(checked.drafts);
        const taken = await this.work.run(async (tx) => {
          await options.admit?.(tx);
          const ofBatch = await this.insert(tx, ready, options);
          // The first transaction that creates accounts records the import, whose numbers are not known before its end.
          if (created === 0 && ofBatch.length < ready.length) {
            await this.events.record(tx, { kind: 'USERS_IMPORTED', actor: options.actor, reason: 'begun' });
          }
          await this.recordProtected(tx, protectedIn(ready, ofBatch, options), options);
          return ofBatch;
        });
        created += ready.length - taken.length;
        errors.add([...checked.errors, ...taken].sort((one, other) => one.line - other.line));
      }
      reason = 'ended';
    } finally {
      if (created > 0) await this.events.recordAlone({ ...importEvent(errors.report(created), options), reason });
    }
    return errors.report(created);
  }

  private async allOrNothing(rows: () => AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    // Hashed before the first account is staged, since that reserves its login id.
    const hashes = new Map<string, string>();
    const errors = new RowRejections();
    for await (const batch of importBatches(rows())) {
      const checked = await this.drafts.check(batch, options.totps);
      errors.add(checked.errors);
      // After an invalid row no account will be created, so no further password is hashed.
      if (errors.total === 0) await this.drafts.accounts(checked.drafts, hashes);
    }
    if (errors.total > 0) return errors.report(0);
    const staged = await this.staging.begin(options.totps);
    let report: ImportReport;
    try {
      const stored = await this.stage(staged, rows(), hashes, options);
      report = stored.report;
      if (report.created > 0) {
        await staged.complete(async (tx) => {
          await options.admit?.(tx);
          await this.events.record(tx, importEvent(stored.report, options));
          await this.recordProtected(tx, stored.protected, options);
        });
      }
    } catch (error) {
      // If this fails too, the background task does it later.
      await staged.settle().catch(() => undefined);
      throw error;
    }
    await staged.settle();
    return report;
  }

  private async stage(
    staged: StagedImport,
    rows: AsyncIterable<ImportRow>,
    hashes: Map<string, string>,
    options: ImportOptions,
  ): Promise<{ readonly report: ImportReport; readonly protected: readonly string[] }> {
    const taken = new RowRejections();
    const ofProtected: string[] = [];
    let created = 0;
    for await (const batch of importBatches(rows)) {
      const checked = await this.drafts.check(batch, options.totps);
      if (checked.errors.length > 0) {
        throw new ServiceError('CONFLICT', { reason: 'the file changed while it was read' });
      }
      const ready = await this.drafts.accounts(checked.drafts, hashes);
      const ids = ready.map(({ account }) => account.id);
      const ofBatch = await staged.stage(ids, (tx) => this.insert(tx, ready, options, STAGED));
      taken.add(ofBatch);
      ofProtected.push(...protectedIn(ready, ofBatch, options));
      created += ready.length;
    }
    return { report: taken.report(taken.total > 0 ? 0 : created), protected: ofProtected };
  }

  /** Creates the accounts with free login ids and returns errors for the other rows. */
  private async insert(
    tx: Tx,
    rows: readonly ImportedAccount[],
    { totps }: ImportOptions,
    status: NewStatus = 'active',
  ): Promise<RowRejection[]> {
    if (rows.length === 0) return [];
    const seen = new Set(
      await this.store.taken(
        tx,
        rows.map(({ account }) => account.loginId),
      ),
    );
    const made: ImportedAccount[] = [];
    const errors: RowRejection[] = [];
    for (const row of rows) {
      if (seen.has(row.account.loginId)) errors.push(takenError(row));
      else made.push(row);
      seen.add(row.account.loginId);
    }
    for (const batch of batchesOf(made, this.store.batchSize)) {
      const accounts = batch.map(({ account }) => account);
      if (await this.store.insert(tx, accounts, status)) await insertTotps(tx, batch, totps);
      // Another process took one of the login ids since: the unique key decides which.
      else errors.push(...(await this.insertOneByOne(tx, batch, totps, status)));
    }
    return errors;
  }

  private async insertOneByOne(
    tx: Tx,
    rows: readonly ImportedAccount[],
    totps: TotpImport | undefined,
    status: NewStatus,
  ): Promise<readonly RowRejection[]> {
    const errors: RowRejection[] = [];
    for (const row of rows) {
      if (await this.store.insert(tx, [row.account], status)) await insertTotps(tx, [row], totps);
      else errors.push(takenError(row));
    }
    return errors;
  }

  /** Events of accounts with protected roles, so that none of them appears unnoticed among thousands of others. */
  private async recordProtected(tx: Tx, subjects: readonly string[], { actor }: ImportOptions): Promise<void> {
    for (const batch of batchesOf(subjects, IMPORT_BATCH)) {
      const events = batch.map((subject) => ({ kind: 'USER_CREATED', subject, actor, reason: 'imported' }) as const);
      await this.events.record(tx, ...events);
    }
  }
}

/** The event of a completed import: its numbers and the digest of its file. */
function importEvent({ created, errorsTotal }: ImportReport, { actor, file }: ImportOptions): SecurityEvent {
  const counts = { created: String(created), errors: String(errorsTotal) };
  return { kind: 'USERS_IMPORTED', actor, detail: { ...counts, ...withoutUndefined({ sha256: file?.sha256 }) } };
}

/** The subjects of the rows with a protected role, without those whose login ids are taken. */
function protectedIn(
  rows: readonly ImportedAccount[],
  taken: readonly RowRejection[],
  { protectedRoles = [] }: ImportOptions,
): readonly string[] {
  const rejected = new Set(taken.map(({ line }) => line));
  return rows
    .filter(({ line, account }) => !rejected.has(line) && account.roles.some((role) => protectedRoles.includes(role)))
    .map(({ account }) => account.id);
}

async function insertTotps(tx: Tx, rows: readonly ImportedAccount[], totps: TotpImport | undefined): Promise<void> {
  const ofRows = rows.flatMap(({ account: { id: subject }, otpauthUri }) =>
    otpauthUri === undefined ? [] : [{ subject, otpauthUri }],
  );
  if (ofRows.length > 0) await totps?.insert(tx, ofRows);
}

function takenError({ line }: { readonly line: number }): RowRejection {
  return { line, field: 'login_id', code: 'taken' };
}
