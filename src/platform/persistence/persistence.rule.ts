import { ConversionProblem } from '../../config/problem.js';
import { type RuleProblem, ruleProblem, Rule } from '../../config/check/rule.js';
import { clientBundleProblems } from '../tls/client-bundle.rule.js';
import { DATABASE_BUNDLE, DatasourceProperties } from './datasource.properties.js';
import { hasAddresses, parseJdbcUrl, tlsModeOf } from './jdbc/jdbc-url.js';
import { dialectOf, fits } from './dialect.js';
import { JpaProperties, OrmProperties, OrmPropertiesProperties } from './jpa.properties.js';
import { MapperConfigurationProperties } from './mapper/mapper.properties.js';

/** Rule 5: required values of the profile prod. */
export const productionValues = new Rule('5', (facts) => {
  const { ddlAuto } = facts.get(OrmProperties);
  const { openInView, showSql } = facts.get(JpaProperties);
  const problems: RuleProblem[] = [];
  if (ddlAuto !== 'none') {
    const what = 'In production, only migrations change tables';
    problems.push(facts.about('app.jpa.orm.ddl-auto', { what, action: 'Set app.jpa.orm.ddl-auto to none.' }));
  }
  if (openInView) {
    const what = 'In production, views must not read the database';
    problems.push(facts.about('app.jpa.open-in-view', { what, action: 'Set app.jpa.open-in-view to false.' }));
  }
  if (showSql) {
    const what = 'In production, SQL statements must not be printed to standard output';
    const action = 'Set app.jpa.show-sql to false, and the level of the logger orm.sql instead.';
    problems.push(facts.about('app.jpa.show-sql', { what, action }));
  }
  return problems;
});

/** Rule 6: mapper statements have a time limit, and null is bound with a type. */
export const mapperLimits = new Rule('6', (facts) => {
  const { defaultStatementTimeout, jdbcTypeForNull } = facts.get(MapperConfigurationProperties);
  const problems: RuleProblem[] = [];
  if (!defaultStatementTimeout || defaultStatementTimeout.milliseconds === 0) {
    const key = 'mapper.configuration.default-statement-timeout';
    const what = 'Without a timeout, a slow statement may run forever';
    problems.push(facts.about(key, { what, action: `Set ${key}, 30 (seconds) is a good start.` }));
  }
  if (jdbcTypeForNull !== 'NULL') {
    const key = 'mapper.configuration.jdbc-type-for-null';
    problems.push(facts.about(key, { what: 'Null must be bound as NULL', action: `Set ${key} to NULL.` }));
  }
  return problems;
});

/** app.jpa.properties.orm.dialect, if set, is the dialect of the database URL. */
export const dialectFits = new Rule('database', (facts) => {
  const { dialect } = facts.get(OrmPropertiesProperties);
  const { url } = facts.get(DatasourceProperties);
  if (dialect === undefined || fits(dialectOf(dialect), dialectOf(url))) return [];
  const what = 'The SQL dialect does not fit the database named by app.datasource.url';
  const action = 'Remove app.jpa.properties.orm.dialect: the URL determines the dialect.';
  return [facts.about('app.jpa.properties.orm.dialect', { severity: 'error', what, action })];
});

/** The certificate bundle of the database can be read and used, and the URL lets it take effect. */
export const databaseBundleUsable = new Rule('database', async (facts) => {
  const { sslBundle, url } = facts.get(DatasourceProperties);
  const location = parseJdbcUrl(url);
  if (sslBundle === undefined || location instanceof ConversionProblem || location.engine === 'sqlite') return [];
  const about = (severity: 'error' | 'warning', what: string, action: string): RuleProblem =>
    facts.about(DATABASE_BUNDLE, { severity, what, action });
  const mode = tlsModeOf(location, true);
  if (mode === 'off') {
    const what = 'The certificate bundle of the database has no effect without TLS';
    return [about('error', what, `Remove sslMode and useSSL from app.datasource.url, or remove ${DATABASE_BUNDLE}.`)];
  }
  if (mode === 'verify-identity' && hasAddresses(location)) {
    const what = 'The certificate of the database server cannot be compared with an IP address';
    return [about('error', what, 'Name the host in app.datasource.url, or add sslMode=VERIFY_CA.')];
  }
  const what = 'The authorities of the certificate bundle have no effect: sslMode=REQUIRED verifies no certificate';
  return [
    ...(mode === 'encrypted' ? [about('warning', what, 'Write VERIFY_IDENTITY or VERIFY_CA in its place.')] : []),
    ...(await clientBundleProblems(facts, DATABASE_BUNDLE, sslBundle)),
  ];
});

/** Warns about parts of the database URL that may have an unexpected effect. */
export const jdbcUrlNotes = new Rule('database', (facts) => {
  const location = parseJdbcUrl(facts.get(DatasourceProperties).url);
  if (location instanceof ConversionProblem) return [];
  return location.notes.map((note) =>
    ruleProblem(
      {
        severity: 'warning',
        what: note.replace(/\.$/, ''),
        action: 'Correct app.datasource.url, or ignore this warning.',
      },
      { Property: 'app.datasource.url' },
    ),
  );
});
