import type { Finding, Rule } from '../config/rule.js';
import { JpaProperties } from './jpa.properties.js';
import { OrmProperties } from './orm.properties.js';

/** Rule 5: values that only development may differ from. */
export const productionValues: Rule = (facts) => {
  const { ddlAuto } = facts.get(OrmProperties);
  const { openInView, showSql } = facts.get(JpaProperties);
  const findings: Finding[] = [];
  if (ddlAuto !== 'none') {
    const advice = 'must be none in production; tables change by migrations';
    findings.push(facts.about('5', 'app.jpa.orm.ddl-auto', advice));
  }
  if (openInView) findings.push(facts.about('5', 'app.jpa.open-in-view', 'must be false in production'));
  if (showSql) {
    findings.push(facts.about('5', 'app.jpa.show-sql', 'must be false in production; use the logger orm.sql'));
  }
  return findings;
};
