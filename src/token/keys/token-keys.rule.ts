import { faultsOf, Rule } from '../../config/check/rule.js';
import { ConfiguredKeys } from './configured-keys.js';
import { TokenProperties } from '../token.properties.js';

/** Configured keys for tokens must be readable and fit their use. */
export const tokenKeysUsable = new Rule('tokens', (facts) => {
  const properties = facts.get(TokenProperties);
  return faultsOf(() => new ConfiguredKeys(properties, (key) => facts.configuration.originOf(key)));
});
