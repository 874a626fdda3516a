import type { Rule } from '../config/rule.js';
import { SealProperties } from './seal.properties.js';

/** A key that lies beside the database protects nothing when both are copied: production brings its own. */
export const sealKeysGiven: Rule = (facts) =>
  facts.get(SealProperties).byId.size === 0 && facts.activeProfiles.includes('prod')
    ? [
        {
          rule: 'security',
          severity: 'breach',
          text: 'app.security.seal.keys: production must set at least one, e.g. app.security.seal.keys.k1=${SEAL_KEY}',
        },
      ]
    : [];
