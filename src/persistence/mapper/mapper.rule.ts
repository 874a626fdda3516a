import { type Finding, Rule } from '../../config/check/rule.js';
import { MapperConfigurationProperties } from './mapper.properties.js';

/** Rule 6: no mapper statement runs without end, and null is bound with a type. */
export const mapperLimits = new Rule('6', (facts) => {
  const { defaultStatementTimeout, jdbcTypeForNull } = facts.get(MapperConfigurationProperties);
  const findings: Finding[] = [];
  if (!defaultStatementTimeout || defaultStatementTimeout.milliseconds === 0) {
    const key = 'mapper.configuration.default-statement-timeout';
    const what = 'Without a limit a slow statement never ends';
    findings.push(facts.about(key, { what, action: `Set ${key}, 30 (seconds) is a good start.` }));
  }
  if (jdbcTypeForNull !== 'NULL') {
    const key = 'mapper.configuration.jdbc-type-for-null';
    findings.push(facts.about(key, { what: 'Null must be bound as NULL', action: `Set ${key} to NULL.` }));
  }
  return findings;
});
