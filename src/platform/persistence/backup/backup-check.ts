import { BackupRejection } from './backup-format.js';
import type { BackupTable, Row } from './backup-plan.js';
import type { Value } from '../unit-of-work.js';

/** Maximum number of problems that a report names; a forged file may have millions. */
const MAX_NAMED = 20;

/** Finds rows that the service would not have written; an attacker can compute a correct checksum for them. */
export class BackupCheck {
  private readonly named: string[] = [];
  private count = 0;
  private last: { readonly of: BackupTable; readonly key: readonly Value[] } | undefined;
  private readonly uniqueValues = new Set<Value>();

  see(of: BackupTable, row: Row, line: number): void {
    for (const problem of this.problemsOf(of, row)) {
      this.count += 1;
      if (this.named.length < MAX_NAMED) this.named.push(`line ${line}: ${of.table}: ${problem}`);
    }
  }

  /** @throws BackupRejection if a row has a problem */
  end(): void {
    if (this.count === 0) return;
    const more = this.count > this.named.length ? `; and ${this.count - this.named.length} more` : '';
    throw new BackupRejection(
      `The file has rows that this service does not write: ${this.named.join('; ')}${more}. Nothing was changed.`,
    );
  }

  private problemsOf(of: BackupTable, row: Row): readonly string[] {
    const problem = of.problemOf?.(row);
    return [...this.keyProblemsOf(of, row), ...(problem === undefined ? [] : [problem])];
  }

  /** A backup has the rows of a table in the order of their keys, so no list of all keys is needed. */
  private keyProblemsOf(of: BackupTable, row: Row): readonly string[] {
    const key = of.key.map((column) => row[column] ?? null);
    const order = this.last?.of === of ? compared(this.last.key, key) : -1;
    this.last = { of, key };
    if (order === 0) return ['repeated row'];
    if (order > 0) return ['row that is repeated or not in the order of its key'];
    const value = of.unique && row[of.unique];
    if (of.unique === undefined || value === undefined) return [];
    const isRepeated = this.uniqueValues.has(value);
    this.uniqueValues.add(value);
    return isRepeated ? [`repeated ${of.unique.replaceAll('_', ' ')}`] : [];
  }
}

/** Returns a negative number if `before` comes before `key`. */
function compared(before: readonly Value[], key: readonly Value[]): number {
  for (const [index, one] of before.entries()) {
    const other = key[index] ?? null;
    if (one === other) continue;
    return one !== null && other !== null && one < other ? -1 : 1;
  }
  return 0;
}
