import { Injectable } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { AccountDrafts } from './account-drafts.service.js';
import { AccountStore, type NewAccount } from './account.store.js';
import { columnOf, draftOf, type ImportReport, type ImportRow, type RowError } from './import-row.js';

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

/** A row that was looked at: an account to be made, or what is wrong. */
type Checked =
  | { readonly line: number; readonly account: NewAccount; readonly otpauthUri: string | undefined }
  | { readonly errors: readonly RowError[] };

type Good = Extract<Checked, { account: unknown }>;

/** Takes the transaction of an import back that has a bad row. */
class TakenBack extends Error {}

/** Makes many accounts at once; a login id that is taken is an error of its row, and nobody is changed. */
@Injectable()
export class AccountImport {
  constructor(
    private readonly store: AccountStore,
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
    const errors: RowError[] = [];
    for await (const batch of batches(rows)) {
      const checked = await this.checked(batch, options, undefined);
      const taken = await this.work.run(async (tx) => {
        const ofBatch = await this.insert(tx, checked.good, options);
        if (ofBatch.length < checked.good.length) await this.record(tx, options);
        return ofBatch;
      });
      created += checked.good.length - taken.length;
      errors.push(...[...checked.errors, ...taken].sort((one, other) => one.line - other.line));
    }
    return { created, errors };
  }

  private async allOrNothing(rows: () => AsyncIterable<ImportRow>, options: ImportOptions): Promise<ImportReport> {
    // Hashed before the transaction, which must be short.
    const hashes = new Map<number, string>();
    const errors: RowError[] = [];
    for await (const batch of batches(rows())) {
      const checked = await this.checked(batch, options, hashes);
      errors.push(...checked.errors);
    }
    if (errors.length > 0) return { created: 0, errors };
    let taken: RowError[] = [];
    let created = 0;
    try {
      await this.work.run(async (tx) => {
        [taken, created] = [[], 0];
        for await (const batch of batches(rows())) {
          const { good, errors: late } = await this.checked(batch, options, hashes);
          if (late.length > 0) throw new ServiceError('CONFLICT', { reason: 'the file changed while it was read' });
          taken.push(...(await this.insert(tx, good, options)));
          created += good.length;
        }
        if (taken.length > 0) throw new TakenBack();
        if (created > 0) await this.record(tx, options);
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
      return { created: 0, errors: taken };
    }
    return { created, errors: [] };
  }

  /** `hashes` keeps those of passwords by line, so that none is hashed twice. */
  private async checked(
    rows: readonly ImportRow[],
    options: ImportOptions,
    hashes: Map<number, string> | undefined,
  ): Promise<{ readonly good: readonly Good[]; readonly errors: readonly RowError[] }> {
    const good: Good[] = [];
    const errors: RowError[] = [];
    const waiting = [...rows];
    for (let group = waiting.splice(0, HASHED_AT_ONCE); group.length > 0; group = waiting.splice(0, HASHED_AT_ONCE)) {
      for (const row of await Promise.all(group.map((one) => this.checkedRow(one, options, hashes)))) {
        if ('errors' in row) errors.push(...row.errors);
        else good.push(row);
      }
    }
    return { good, errors };
  }

  private async checkedRow(
    row: ImportRow,
    { totps }: ImportOptions,
    hashes: Map<number, string> | undefined,
  ): Promise<Checked> {
    const { line } = row;
    const { otpauthUri, ...written } = draftOf(row);
    const known = hashes?.get(line);
    const draft = known === undefined ? written : { ...written, password: undefined, passwordHash: known };
    const faults = await this.drafts.faults(draft);
    const errors: RowError[] = faults.map(({ field, code }) => ({ line, field: columnOf(field), code }));
    const totpFault = otpauthUri === undefined ? undefined : totps ? totps.fault(otpauthUri) : 'unsupported';
    if (totpFault !== undefined) errors.push({ line, field: 'otpauth_uri', code: totpFault });
    if (errors.length > 0) return { errors };
    const account = await this.drafts.account(draft);
    if (draft.password !== undefined && account.passwordHash !== undefined) hashes?.set(line, account.passwordHash);
    return { line, account, otpauthUri };
  }

  /** Makes those whose login id is free and answers the others. */
  private async insert(tx: Tx, rows: readonly Good[], { totps }: ImportOptions): Promise<RowError[]> {
    if (rows.length === 0) return [];
    const seen = new Set(
      await this.store.taken(
        tx,
        rows.map(({ account }) => account.loginId),
      ),
    );
    const made: Good[] = [];
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
    rows: readonly Good[],
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

async function insertTotps(tx: Tx, rows: readonly Good[], totps: TotpImport | undefined): Promise<void> {
  const ofRows = rows.flatMap(({ account: { id: subject }, otpauthUri }) =>
    otpauthUri === undefined ? [] : [{ subject, otpauthUri }],
  );
  if (ofRows.length > 0) await totps?.insert(tx, ofRows);
}

function takenError({ line }: Good): RowError {
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
