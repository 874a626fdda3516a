import { type Finding, Rule } from '../config/check/rule.js';
import { JpaProperties, OrmProperties } from './jpa.properties.js';

/** Rule 5: values that only development may differ from. */
export const productionValues = new Rule('5', (facts) => {
  const { ddlAuto } = facts.get(OrmProperties);
  const { openInView, showSql } = facts.get(JpaProperties);
  const findings: Finding[] = [];
  if (ddlAuto !== 'none') {
    const what = 'Tables of production change by migrations alone';
    findings.push(facts.about('app.jpa.orm.ddl-auto', { what, action: 'Set app.jpa.orm.ddl-auto to none.' }));
  }
  if (openInView) {
    const what = 'No view of production reads the database';
    findings.push(facts.about('app.jpa.open-in-view', { what, action: 'Set app.jpa.open-in-view to false.' }));
  }
  if (showSql) {
    const what = 'Statements of production go to no output of their own';
    const action = 'Set app.jpa.show-sql to false, and the level of the logger orm.sql instead.';
    findings.push(facts.about('app.jpa.show-sql', { what, action }));
  }
  return findings;
});
