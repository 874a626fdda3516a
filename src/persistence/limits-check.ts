import { withTimeout } from '../clock/with-timeout.js';
import type { Finding, RuleFacts } from '../config/check/rule.js';
import { DatasourceProperties, PoolProperties } from './datasource.properties.js';
import { dialectOf } from './dialect.js';
import { DatabaseUnavailable } from './engines/database-unavailable.js';
import { isLifetimeTooLong, isPoolTooLarge, readLimits, type ServerLimits } from './engines/server-limits.js';

/** Limit for the whole comparison, whatever the time limits of the pool and of the URL are. */
const LIMIT_MILLIS = 5000;

/** Rule 4 as far as it was checked. */
export interface LimitsCheck {
  readonly findings: readonly Finding[];
  readonly isComplete: boolean;
}

/**
 * Rule 4 for `config check`: opens one connection if `asksServer` is true. Startup warns of the same once the service is
 * connected. A database server that does not respond is a warning, because the check must also work while it is stopped.
 */
export async function checkLimits(facts: RuleFacts, asksServer: boolean): Promise<LimitsCheck> {
  const { url } = facts.get(DatasourceProperties);
  if (dialectOf(url) === 'sqlite') return { findings: [], isComplete: true };
  if (!asksServer) return { findings: [], isComplete: false };
  try {
    return { findings: await withTimeout(compare(facts), LIMIT_MILLIS, throwTimeout), isComplete: true };
  } catch (error) {
    // Its problem has the reason and no secret.
    const { problem } = new DatabaseUnavailable(url, error);
    const what = 'The pool could not be compared with the limits of the database server';
    return { findings: [{ ...problem, severity: 'warning', what }], isComplete: false };
  }
}

async function compare(facts: RuleFacts): Promise<readonly Finding[]> {
  const { openPool } = await import('./database.js');
  const settings = { ...facts.get(PoolProperties).asConfigured(), connectionTimeout: LIMIT_MILLIS };
  const pool = await openPool(facts.get(DatasourceProperties), { settings });
  try {
    const limits = await readLimits(pool);
    return [
      ...(isLifetimeTooLong(pool.settings, limits) ? [lifetimeFinding(limits, facts)] : []),
      ...(isPoolTooLarge(pool.settings, limits) ? [sizeFinding(limits, facts)] : []),
    ];
  } finally {
    await pool.close();
  }
}

function lifetimeFinding({ waitTimeoutMillis }: ServerLimits, facts: RuleFacts): Finding {
  const key = 'app.datasource.pool.max-lifetime';
  return facts.about(key, {
    severity: 'warning',
    what: `A connection may live longer than wait_timeout of the database server (${waitTimeoutMillis} ms), which closes idle connections`,
    action: `Set ${key} below it, or raise wait_timeout.`,
  });
}

function sizeFinding({ maxConnections, others }: ServerLimits, facts: RuleFacts): Finding {
  const key = 'app.datasource.pool.maximum-pool-size';
  const now = `the account has ${others} connections now, and the server accepts ${maxConnections} (max_connections)`;
  return facts.about(key, {
    severity: 'warning',
    what: `One more instance with this pool could open more connections than the server accepts: ${now}`,
    action: `Set ${key} lower, or raise max_connections.`,
  });
}

function throwTimeout(): never {
  throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
}
