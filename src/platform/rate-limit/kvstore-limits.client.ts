import { type Kvstore, Script } from '../kvstore/kvstore.service.js';
import { storeKey } from '../kvstore/store-key.js';
import type { RateLimitStore } from './rate-limit-store.js';
import { type Charge, type LimitVerdict, verdictOf } from './sliding-window.js';

/**
 * Charges each key by the clock of the store, so that clocks of replicas do not matter. Arguments: quota, window in
 * milliseconds and hits of each key. Results: admitted hits, both counts, and the elapsed millionths of the window of each.
 */
const CHARGE = new Script(
  'rate-limit',
  `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local results = {}
for at, key in ipairs(KEYS) do
  local quota, length, hits = tonumber(ARGV[at * 3 - 2]), tonumber(ARGV[at * 3 - 1]), tonumber(ARGV[at * 3])
  local window = math.floor(now / length)
  local stored = redis.call('HMGET', key, 'w', 'c', 'p')
  local known, current, previous = tonumber(stored[1]), tonumber(stored[2]) or 0, tonumber(stored[3]) or 0
  if known == nil or known < window - 1 then
    current, previous = 0, 0
  elseif known == window - 1 then
    current, previous = 0, current
  elseif known > window then
    window = known
  end
  local elapsed = math.min(1, math.max(0, now / length - window))
  local admitted = math.max(0, math.min(hits, math.floor(quota - previous * (1 - elapsed) - current)))
  current = current + admitted
  if admitted > 0 then
    redis.call('HSET', key, 'w', window, 'c', current, 'p', previous)
    redis.call('PEXPIRE', key, 2 * length)
  end
  results[at] = { admitted, current, previous, math.floor(elapsed * 1000000) }
end
return results`,
);

/** The counts in the key-value store. */
export class KvstoreLimits implements RateLimitStore {
  constructor(private readonly kvstore: Kvstore) {}

  async charge(charges: readonly Charge[]): Promise<readonly LimitVerdict[]> {
    const keys = charges.map(({ key }) => storeKey('rate-limit', key));
    const args = charges.flatMap(({ quota, windowMillis, hits }) => [quota, windowMillis, hits]);
    const results = (await this.kvstore.run(CHARGE, keys, args)) as readonly (readonly number[])[];
    return charges.map(({ quota, windowMillis }, at) => {
      const [admitted = 0, current = 0, previous = 0, millionths = 0] = results[at] ?? [];
      return verdictOf({ window: 0, current, previous }, admitted, millionths / 1e6, quota, windowMillis);
    });
  }
}
