import { Rule } from '../../config/check/rule.js';
import { KvstoreProperties } from '../kvstore/kvstore.properties.js';
import { RouteLimitProperties } from './rate-limit.properties.js';

const STORE = 'app.security.rate-limit.store';

/** Limits in the key-value store need one. */
export const rateLimitStoreConfigured = new Rule('key-value store', (facts) => {
  if (facts.get(RouteLimitProperties).store !== 'kvstore') return [];
  const hasSentinels = facts.get(KvstoreProperties).sentinelNodes.length > 0;
  if (hasSentinels || facts.configuration.isSet('app.data.kvstore.host')) return [];
  const what = 'Rate limits are to be counted in a key-value store, and none is configured';
  const action = `Set app.data.kvstore.host, or remove ${STORE}.`;
  return [facts.about(STORE, { severity: 'error', what, action })];
});
