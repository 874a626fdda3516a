import { Rule } from '../../config/check/rule.js';
import { KvstoreProperties } from '../kvstore/kvstore.properties.js';
import { CacheProperties, CaffeineProperties } from './cache.properties.js';
import { parseCaffeineSpec } from './caffeine-spec.js';

const TYPE = 'app.cache.type';
const SPEC = 'app.cache.caffeine.spec';

/** The limits of caches in the process can be read; also with another type, which may only be for a while. */
export const caffeineSpecReadable = new Rule('cache', (facts) => {
  const spec = parseCaffeineSpec(facts.get(CaffeineProperties).spec);
  if (!('reason' in spec)) return [];
  const { reason, action } = spec;
  return [facts.about(SPEC, { severity: 'error', what: `${SPEC} cannot be used`, action }, { Reason: reason })];
});

/** A cache in the key-value store needs one. */
export const cacheStoreConfigured = new Rule('key-value store', (facts) => {
  if (facts.get(CacheProperties).type !== 'kvstore') return [];
  const hasSentinels = facts.get(KvstoreProperties).sentinelNodes.length > 0;
  if (hasSentinels || facts.configuration.isSet('app.data.kvstore.host')) return [];
  const what = 'Caches are to be in a key-value store, and none is configured';
  const action = `Set app.data.kvstore.host, or set ${TYPE} to caffeine, simple or none.`;
  return [facts.about(TYPE, { severity: 'error', what, action })];
});
