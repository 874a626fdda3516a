/** A table whose rows are useless after `expires_at`. */
export interface ExpiringTable {
  readonly table: string;
  readonly key: string;
  /** The time for which a row is kept after its expiry. */
  readonly retentionSeconds: number;
}

/**
 * A used `mfa_token` or refresh token is remembered beyond its expiry, so that a clock that was set back does not make it
 * usable again.
 */
const RETENTION_SECONDS = 86_400;

const registered = new Map<string, ExpiringTable>();

/** Registers a table for the sweep; called beside the store that owns it. */
export function expiringTable(table: string, key: string, retentionSeconds = RETENTION_SECONDS): void {
  registered.set(table, { table, key, retentionSeconds });
}

/** Returns the expiring tables of every store that is loaded. */
export function expiringTables(): readonly ExpiringTable[] {
  return [...registered.values()];
}
