import type { Finding, Rule } from '../config/rule.js';
import { MapperConfigurationProperties } from './mapper-configuration.properties.js';

/** Rule 6: no mapper statement runs without end, and null is bound with a type. */
export const mapperLimits: Rule = (facts) => {
  const { defaultStatementTimeout, jdbcTypeForNull } = facts.get(MapperConfigurationProperties);
  const findings: Finding[] = [];
  if (!defaultStatementTimeout || defaultStatementTimeout.milliseconds === 0) {
    const advice = 'set it, 30 (seconds) is a good start: without it a slow statement never ends';
    findings.push(facts.about('6', 'mapper.configuration.default-statement-timeout', advice));
  }
  if (jdbcTypeForNull !== 'NULL') {
    findings.push(facts.about('6', 'mapper.configuration.jdbc-type-for-null', 'must be NULL'));
  }
  return findings;
};
