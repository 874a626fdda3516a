import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { type AccountDraft, AccountDrafts } from '../account-drafts.service.js';
import { AccountChangesStore, type NewAccount } from '../account-changes.store.js';
import {
  columnOf,
  draftOf,
  type ImportReport,
  type ImportRow,
  type RowError,
  RowErrors,
  type RowFault,
} from './import-row.js';

/** Rows of one statement. */
const BATCH = 500;
/** Passwords hashed at once; those who sign in meanwhile need the rest. */
const HASHED_AT_ONCE = 2;

/** An authenticator that comes with a row. */
export interface ImportedTotp {
  readonly subject: string;
  readonly otpauthUri: string;
}

/** Stores the authenticators of imported accounts: what `mfa`, which stands above, gives to this import. */
export interface TotpImport {
  /** A word that says what is wrong with a URI, undefined where it can be imported. */
  fault(otpauthUri: string): string | undefined;
  insert(tx: Tx, totps: readonly ImportedTotp[]): Promise<void>;
}

export interface ImportOptions {
  /** Subject of an administrator, or `cli`. */
  readonly actor: string;
  /** Good rows are kept beside bad ones; otherwise one bad row keeps all of them out. */
  readonly isPartial?: boolean;
  readonly totps?: TotpImport;
}

/** A row without faults. */
interface Draft {
  readonly line: number;
  readonly account: AccountDraft;
  readonly otpauthUri: string | undefined;
}

/** A row whose account can be stored. */
interface Ready {
  readonly line: number;
  readonly account: NewAccount;
  readonly otpauthUri: string | undefined;
}

/** Takes the transaction of an import back that has a bad row. */
class TakenBack extends Error {}

/** Makes many accounts at once; a login id that is taken is an error of its row, and nobody is changed. */
@Injectable()
export class AccountImport {
  constructor(
    private readonly store: AccountChangesStore,
    private readonly work: UnitOfWork,
    private readonly drafts: AccountDrafts,
    private readonly events: SecurityEvents,
  ) {}

  /** `rows` begins at the first row each time it is called; it is read twice where all rows or none are kept. */
  async run(rows: () => AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    return options.isPartial ? this.partial(rows(), options) : this.allOrNothing(rows, options);
  }

  private async partial(rows: AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    let created = 0;
    const errors = new RowErrors();
    for await (const batch of batches(rows)) {
      const checked = await this.checked(batch, options);
      const ready = await this.ready(checked.drafts);
      const taken = await this.work.run(async (tx) => {
        const ofBatch = await this.insert(tx, ready, options);
        if (ofBatch.length < ready.length) await this.record(tx, options);
        return ofBatch;
      });
      created += ready.length - taken.length;
      errors.add([...checked.errors, ...taken].sort((one, other) => one.line - other.line));
    }
    return errors.report(created);
  }

  private async allOrNothing(rows: () => AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    // Hashed before the transaction, which must be short.
    const hashes = new Map<number, string>();
    const errors = new RowErrors();
    for await (const batch of batches(rows())) {
      const checked = await this.checked(batch, options);
      errors.add(checked.errors);
      // Once a row is bad nobody will be made, and no password is worth its hash.
      if (errors.total === 0) await this.ready(checked.drafts, hashes);
    }
    if (errors.total > 0) return errors.report(0);
    let taken = new RowErrors();
    let created = 0;
    try {
      await this.work.run(async (tx) => {
        [taken, created] = [new RowErrors(), 0];
        for await (const batch of batches(rows())) {
          const checked = await this.checked(batch, options);
          if (checked.errors.length > 0) {
            throw new ServiceError('CONFLICT', { reason: 'the file changed while it was read' });
          }
          taken.add(await this.insert(tx, await this.ready(checked.drafts, hashes), options));
          created += checked.drafts.length;
        }
        if (taken.total > 0) throw new TakenBack();
        if (created > 0) await this.record(tx, options);
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
      return taken.report(0);
    }
    return taken.report(created);
  }

  private async checked(
    rows: readonly ImportRow[],
    options: ImportOptions,
  ): Promise<{ readonly drafts: readonly Draft[]; readonly errors: readonly RowError[] }> {
    const drafts: Draft[] = [];
    const errors: RowError[] = [];
    for (const row of rows) {
      const { otpauthUri, ...account } = draftOf(row);
      const faults = row.faults ?? (await this.faults(account, otpauthUri, options));
      if (faults.length === 0) drafts.push({ line: row.line, account, otpauthUri });
      errors.push(...faults.map((fault) => ({ line: row.line, ...fault })));
    }
    return { drafts, errors };
  }

  private async faults(
    account: AccountDraft,
    otpauthUri: string | undefined,
    { totps }: ImportOptions,
  ): Promise<readonly RowFault[]> {
    const faults: RowFault[] = (await this.drafts.importFaults(account)).map(({ field, code }) => ({
      field: columnOf(field),
      code,
    }));
    const ofTotp = otpauthUri === undefined ? undefined : totps ? totps.fault(otpauthUri) : 'unsupported';
    return ofTotp === undefined ? faults : [...faults, { field: 'otpauth_uri', code: ofTotp }];
  }

  /** `hashes` keeps those of passwords by line, so that none is hashed twice. */
  private async ready(drafts: readonly Draft[], hashes?: Map<number, string>): Promise<readonly Ready[]> {
    const ready: Ready[] = [];
    for (let from = 0; from < drafts.length; from += HASHED_AT_ONCE) {
      const group = drafts.slice(from, from + HASHED_AT_ONCE);
      ready.push(...(await Promise.all(group.map((draft) => this.readyRow(draft, hashes)))));
    }
    return ready;
  }

  private async readyRow({ line, account: draft, otpauthUri }: Draft, hashes?: Map<number, string>): Promise<Ready> {
    const known = hashes?.get(line);
    const account = await this.drafts.account(
      known === undefined ? draft : { ...draft, password: undefined, passwordHash: known },
    );
    if (draft.password !== undefined && account.passwordHash !== undefined) hashes?.set(line, account.passwordHash);
    return { line, account, otpauthUri };
  }

  /** Makes those whose login id is free and answers the others. */
  private async insert(tx: Tx, rows: readonly Ready[], { totps }: ImportOptions): Promise<RowError[]> {
    if (rows.length === 0) return [];
    const seen = new Set(
      await this.store.taken(
        tx,
        rows.map(({ account }) => account.loginId),
      ),
    );
    const made: Ready[] = [];
    const errors: RowError[] = [];
    for (const row of rows) {
      if (seen.has(row.account.loginId)) errors.push(takenError(row));
      else made.push(row);
      seen.add(row.account.loginId);
    }
    const accounts = made.map(({ account }) => account);
    if (made.length > 0 && !(await this.store.insert(tx, accounts))) {
      // Somebody took one of them since: the unique key says which.
      return this.insertOneByOne(tx, made, totps, errors);
    }
    await insertTotps(tx, made, totps);
    return errors;
  }

  private async insertOneByOne(
    tx: Tx,
    rows: readonly Ready[],
    totps: TotpImport | undefined,
    errors: RowError[],
  ): Promise<RowError[]> {
    for (const row of rows) {
      if (await this.store.insert(tx, [row.account])) await insertTotps(tx, [row], totps);
      else errors.push(takenError(row));
    }
    return errors;
  }

  private record(tx: Tx, { actor }: ImportOptions): Promise<void> {
    return this.events.record(tx, { kind: 'USERS_IMPORTED', actor });
  }
}

async function insertTotps(tx: Tx, rows: readonly Ready[], totps: TotpImport | undefined): Promise<void> {
  const ofRows = rows.flatMap(({ account: { id: subject }, otpauthUri }) =>
    otpauthUri === undefined ? [] : [{ subject, otpauthUri }],
  );
  if (ofRows.length > 0) await totps?.insert(tx, ofRows);
}

function takenError({ line }: Ready): RowError {
  return { line, field: 'login_id', code: 'taken' };
}

async function* batches(rows: AsyncIterable<ImportRow>): AsyncGenerator<readonly ImportRow[]> {
  let batch: ImportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
