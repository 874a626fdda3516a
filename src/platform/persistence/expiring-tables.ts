/** A table whose rows are useless after `expires_at`. */
export interface ExpiringTable {
  readonly table: string;
  readonly key: string;
  /** The time for which a row is kept after its expiry. */
  readonly keptSeconds: number;
}

/**
 * A used `mfa_token` or refresh token is remembered beyond its expiry, so that a clock that was set back does not make it
 * usable again.
 */
const KEPT_SECONDS = 86_400;

const registered = new Map<string, ExpiringTable>();

/** Registers a table for the sweep; called beside the store that owns it. */
export function expiringTable(table: string, key: string, keptSeconds = KEPT_SECONDS): void {
  registered.set(table, { table, key, keptSeconds });
}

/** The expiring tables of every store that is loaded. */
export function expiringTables(): readonly ExpiringTable[] {
  return [...registered.values()];
}
