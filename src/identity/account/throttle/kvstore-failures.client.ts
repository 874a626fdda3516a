import type { Clock } from '../../../kernel/clock/clock.js';
import { type Kvstore, Script } from '../../../platform/kvstore/kvstore.service.js';
import { storeKey } from '../../../platform/kvstore/store-key.js';
import type { FailureChange, Failures, FailureStore } from './shared-failures.js';

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Results: failures and their age in milliseconds of each key; ages do not depend on the clocks of replicas. */
const READ = new Script(
  'password-failures-read',
  `${NOW}local results = {}
for at, key in ipairs(KEYS) do
  local stored = redis.call('HMGET', key, 'f', 'l')
  results[at] = { stored[1] or '0', tostring(now - (tonumber(stored[2]) or 0)) }
end
return results`,
);

/** `remembered` in Lua. Arguments: failures forgotten in a millisecond and milliseconds of each key; 0 forgets it. */
const SAVE = new Script(
  'password-failures-save',
  `${NOW}for at, key in ipairs(KEYS) do
  local perMilli, after = tonumber(ARGV[at * 2 - 1]), tonumber(ARGV[at * 2])
  if after == 0 then
    redis.call('DEL', key)
  else
    local stored = redis.call('HMGET', key, 'f', 'l')
    local failures, age = tonumber(stored[1]) or 0, now - (tonumber(stored[2]) or 0)
    failures = age >= after and 0 or math.max(0, failures - math.max(0, age) * perMilli)
    redis.call('HSET', key, 'f', string.format('%.17g', failures + 1), 'l', now)
    redis.call('PEXPIRE', key, after)
  end
end`,
);

/** The failures in the key-value store. */
export class KvstoreFailures implements FailureStore {
  constructor(
    private readonly kvstore: Kvstore,
    private readonly clock: Clock,
  ) {}

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Failures>> {
    const results = (await this.kvstore.run(READ, keys.map(named), [])) as readonly (readonly [string, string])[];
    const now = this.clock.millis();
    return new Map(
      keys.flatMap((key, at) => {
        const [count, age] = (results[at] ?? ['0', '0']).map(Number);
        return count ? [[key, { count, lastAt: now - (age ?? 0) }]] : [];
      }),
    );
  }

  async save(changes: readonly FailureChange[]): Promise<void> {
    const keys = changes.map(({ key }) => named(key));
    const args = changes.flatMap(({ to }) => (to === 'none' ? [0, 0] : [to.perMilli, Math.ceil(to.afterMillis)]));
    await this.kvstore.run(SAVE, keys, args);
  }
}

/** Keys contain digests of names, and addresses as they are. */
function named(key: string): string {
  return storeKey('password-failures', key);
}
