import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { BackupCodeProperties } from './backup-code.properties.js';
import { BackupCodeStore, type PepperedRow } from './backup-code.store.js';

/** Rows of one read, which takes about a millisecond; an account has at most twenty. */
const SLICE = 500;
const KEY = 'app.security.mfa.backup-code.pepper';

/** How many accounts have unused backup codes of one pepper. */
export interface PepperUse {
  /** The key of the pepper; undefined for codes without one. */
  readonly key: string | undefined;
  readonly state: 'active' | 'configured' | 'missing';
  readonly accounts: number;
}

/** Counts the accounts by the peppers of their backup codes, so that operators know when a pepper can be removed. */
@Injectable()
export class PepperUses {
  constructor(
    private readonly store: BackupCodeStore,
    private readonly work: UnitOfWork,
    private readonly properties: BackupCodeProperties,
  ) {}

  /** Every configured pepper, and those that codes name; undefined if `stop` was aborted. */
  async count(stop?: AbortSignal): Promise<readonly PepperUse[] | undefined> {
    const counts = new Map<string | undefined, number>(this.properties.all.map(({ id }) => [keyOf(id), 0]));
    for (let after: string | undefined = ''; after !== undefined;) {
      if (stop?.aborted) return undefined;
      const from: string = after;
      const rows = await this.work.single((tx) => this.store.slice(tx, from, SLICE));
      // The codes of the last account may continue in the next slice.
      const last = rows.length < SLICE ? undefined : rows.at(-1)?.user_id;
      const whole = rows.filter(({ user_id }) => user_id !== last);
      for (const key of accountsAndKeys(whole)) counts.set(key, (counts.get(key) ?? 0) + 1);
      after = last === undefined ? undefined : whole.at(-1)?.user_id;
    }
    return Array.from(counts, ([key, accounts]) => ({ key, accounts, state: this.stateOf(key) }));
  }

  private stateOf(key: string | undefined): PepperUse['state'] {
    const { all, active } = this.properties;
    if (key === (active && keyOf(active.id))) return 'active';
    return key === undefined || all.some(({ id }) => keyOf(id) === key) ? 'configured' : 'missing';
  }
}

function keyOf(id: string | null): string {
  return id === null ? KEY : `${KEY}s.${id}`;
}

/** The key of a pepper, once for each account that has codes of it. */
function accountsAndKeys(rows: readonly PepperedRow[]): readonly (string | undefined)[] {
  const pairs = rows.map(({ user_id, pepper, keyed }): readonly [string, string | undefined] => [
    user_id,
    pepper === null && keyed === 0 ? undefined : keyOf(pepper),
  ]);
  return [...Map.groupBy(pairs, ([account]) => account).values()].flatMap((own) => [
    ...new Set(own.map(([, key]) => key)),
  ]);
}
