import { withTimeout } from '../../kernel/clock/with-timeout.js';
import { UserProperties } from '../../config/config.properties.js';
import { processTimeZone } from '../../config/read/process-inputs.js';
import type { RuleProblem, RuleFacts, LocatedRuleProblem } from '../../config/check/rule.js';
import { DatabaseAddress } from './database-address.js';
import { DatasourceProperties, PoolProperties } from './datasource.properties.js';
import { dialectOf } from './dialect.js';
import { DatabaseUnavailable } from './engines/database-unavailable.js';
import { EQUAL_ZONES, isZone, readTimeZone, type SessionTimeZone } from './engines/session-time-zone.js';
import { isLifetimeTooLong, isPoolTooLarge, readLimits, type ServerLimits } from './engines/server-limits.js';

/** Limit for the whole comparison, whatever the time limits of the pool and of the URL are. */
const LIMIT_MILLIS = 5000;

/** Rule 4 and the time zone of the server, as far as they were checked. */
export interface LimitsCheck {
  readonly problems: readonly LocatedRuleProblem[];
  readonly isComplete: boolean;
}

/**
 * Compares the configuration with the server for `config check`: opens one connection if `asksServer` is true. Startup warns
 * of the same once the service is connected. A database server that does not respond is a warning, because the check must
 * also work while it is stopped.
 */
export async function checkLimits(facts: RuleFacts, asksServer: boolean): Promise<LimitsCheck> {
  const { url } = facts.get(DatasourceProperties);
  if (dialectOf(url) === 'sqlite') return { problems: [], isComplete: true };
  if (!asksServer) return { problems: [], isComplete: false };
  try {
    return { problems: await withTimeout(compare(facts), LIMIT_MILLIS, throwTimeout), isComplete: true };
  } catch (error) {
    // Its problem has the reason and no secret.
    const { problem } = new DatabaseUnavailable(url, error);
    const what = 'The pool could not be compared with the limits of the database server';
    return { problems: [{ ...problem, rule: '4', severity: 'warning', what }], isComplete: false };
  }
}

async function compare(facts: RuleFacts): Promise<readonly LocatedRuleProblem[]> {
  const { openPool } = await import('./database.js');
  const settings = { ...facts.get(PoolProperties).asConfigured(), connectionTimeout: LIMIT_MILLIS };
  const processZone = facts.get(UserProperties).timezone ?? processTimeZone();
  const pool = await openPool(await DatabaseAddress.of(facts.configuration), { settings, processZone });
  try {
    const limits = await readLimits(pool);
    const zone = await readTimeZone(pool);
    return [
      ...(isLifetimeTooLong(pool.settings, limits) ? [{ ...lifetimeProblem(limits, facts), rule: '4' as const }] : []),
      ...(isPoolTooLarge(pool.settings, limits) ? [{ ...sizeProblem(limits, facts), rule: '4' as const }] : []),
      ...(isZone(zone, processZone) ? [] : [{ ...zoneProblem(zone, processZone, facts), rule: 'time zone' as const }]),
    ];
  } finally {
    await pool.close();
  }
}

function lifetimeProblem({ waitTimeoutMillis }: ServerLimits, facts: RuleFacts): RuleProblem {
  const key = 'app.datasource.pool.max-lifetime';
  return facts.about(key, {
    severity: 'warning',
    what: `A connection may live longer than wait_timeout of the database server (${waitTimeoutMillis} ms), which closes idle connections`,
    action: `Set ${key} below it, or raise wait_timeout.`,
  });
}

function sizeProblem({ maxConnections, others }: ServerLimits, facts: RuleFacts): RuleProblem {
  const key = 'app.datasource.pool.maximum-pool-size';
  const now = `the account has ${others} connections now, and the server accepts ${maxConnections} (max_connections)`;
  return facts.about(key, {
    severity: 'warning',
    what: `One more instance with this pool could open more connections than the server accepts: ${now}`,
    action: `Set ${key} lower, or raise max_connections.`,
  });
}

function zoneProblem({ name }: SessionTimeZone, processZone: string, facts: RuleFacts): RuleProblem {
  const what = `Database sessions have the time zone ${name}, which is not that of the process`;
  const action = `Either ${EQUAL_ZONES}.`;
  return facts.about('app.datasource.url', { severity: 'warning', what, action }, { Process: processZone });
}

function throwTimeout(): never {
  throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
}
