import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { type AccountDraft, AccountDrafts } from '../account-drafts.service.js';
import type { NewAccount } from '../account-changes.store.js';
import { cellProblems, columnOf, draftOf, type ImportRow, type RowProblem, type RowRejection } from './import-row.js';
import type { ImportedParts } from './staged-imports.service.js';

/**
 * Rows that are checked and stored together. While a batch is checked, the process does nothing else, and while it is
 * stored, all other units of work on the embedded database wait: a login waits several times.
 */
export const IMPORT_BATCH = 100;
/** Passwords hashed at once; concurrent logins need the other workers. */
const HASHED_AT_ONCE = 2;

/** The authenticator of a row. */
export interface ImportedTotp {
  readonly subject: string;
  readonly otpauthUri: string;
}

/** Port through which an import stores authenticators; `src/identity/second-factor`, which has a higher rank, implements it. */
export interface TotpImport extends ImportedParts {
  /** The error code of a URI; undefined if it can be imported. */
  problem(otpauthUri: string): string | undefined;
  insert(tx: Tx, totps: readonly ImportedTotp[]): Promise<void>;
}

/** A row without problems. */
export interface ImportDraft {
  readonly line: number;
  readonly account: AccountDraft;
  readonly otpauthUri: string | undefined;
}

/** A row whose account can be stored. */
export interface ImportedAccount {
  readonly line: number;
  readonly account: NewAccount;
  readonly otpauthUri: string | undefined;
}

/** Checks the rows of an import file and turns them into accounts that can be stored. */
@Injectable()
export class ImportDrafts {
  constructor(private readonly drafts: AccountDrafts) {}

  /** The rows without problems, and the problems of the others. Passwords are not hashed yet. */
  async check(
    rows: readonly ImportRow[],
    totps: TotpImport | undefined,
  ): Promise<{ readonly drafts: readonly ImportDraft[]; readonly errors: readonly RowRejection[] }> {
    const drafts: ImportDraft[] = [];
    const errors: RowRejection[] = [];
    for (const row of rows) {
      const { otpauthUri, ...account } = draftOf(row);
      const problems = row.problems ?? [...(await this.problems(account, otpauthUri, totps)), ...cellProblems(row)];
      if (problems.length === 0) drafts.push({ line: row.line, account, otpauthUri });
      errors.push(...problems.map((problem) => ({ line: row.line, ...problem })));
    }
    return { drafts, errors };
  }

  private async problems(
    account: AccountDraft,
    otpauthUri: string | undefined,
    totps: TotpImport | undefined,
  ): Promise<readonly RowProblem[]> {
    const problems: RowProblem[] = (await this.drafts.importProblems(account)).map(({ field, code }) => ({
      field: columnOf(field),
      code,
    }));
    const ofTotp = otpauthUri === undefined ? undefined : totps ? totps.problem(otpauthUri) : 'unsupported';
    return ofTotp === undefined ? problems : [...problems, { field: 'otpauth_uri', code: ofTotp }];
  }

  /** Hashes the passwords. `hashes` keeps the hashes, so that no password is hashed twice. */
  async accounts(drafts: readonly ImportDraft[], hashes?: Map<string, string>): Promise<readonly ImportedAccount[]> {
    const ready: ImportedAccount[] = [];
    for (let from = 0; from < drafts.length; from += HASHED_AT_ONCE) {
      const group = drafts.slice(from, from + HASHED_AT_ONCE);
      ready.push(...(await Promise.all(group.map((draft) => this.imported(draft, hashes)))));
    }
    return ready;
  }

  private async imported(
    { line, account: draft, otpauthUri }: ImportDraft,
    hashes?: Map<string, string>,
  ): Promise<ImportedAccount> {
    const key = hashes && draft.password !== undefined ? hashKey(draft) : undefined;
    const known = key === undefined ? undefined : hashes?.get(key);
    const account = await this.drafts.account(
      known === undefined ? draft : { ...draft, password: undefined, passwordHash: known },
    );
    if (key !== undefined && account.passwordHash !== undefined) hashes?.set(key, account.passwordHash);
    return { line, account, otpauthUri };
  }

  /** The login id of a draft, as it is stored. */
  loginIdOf({ account }: ImportDraft): string {
    return this.drafts.loginIdOf(account);
  }
}

/** Names user and password, not the line: the file may change before it is read again. */
function hashKey({ loginId, password }: AccountDraft): string {
  return createHash('sha256')
    .update(JSON.stringify([loginId, password]))
    .digest('base64');
}

/** Requests get a turn of the event loop between two batches. */
export async function* importBatches(rows: AsyncIterable<ImportRow>): AsyncGenerator<readonly ImportRow[]> {
  let batch: ImportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < IMPORT_BATCH) continue;
    yield batch;
    batch = [];
    await nextTurn();
  }
  if (batch.length > 0) yield batch;
}
