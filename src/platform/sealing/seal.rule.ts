import { ruleProblem, Rule } from '../../config/check/rule.js';
import { SealProperties } from './seal.properties.js';

/** Production must configure its seal key: a key file beside the database protects nothing when both are copied. */
export const sealKeysConfigured = new Rule('security', (facts) =>
  facts.get(SealProperties).byId.size === 0 && facts.activeProfiles.includes('prod')
    ? [
        ruleProblem(
          {
            what: 'Production must have a seal key',
            action: 'Set one, e.g. app.security.seal.keys.k1=${SEAL_KEY}, to what "openssl rand -base64 32" prints.',
          },
          { Property: 'app.security.seal.keys', Origin: 'not set' },
        ),
      ]
    : [],
);
