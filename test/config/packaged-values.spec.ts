import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { viewOfKey } from '../../src/apps/cli/config/config-view.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import manifest from '../../package.json' with { type: 'json' };

const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));

/** `key = value  (origin)` without the position, or how it is unset. */
function packaged(key: string, args: readonly string[] = []): string {
  const inputs = { args, variables: {}, workingFolder: '/nonexistent', packageFolder: PACKAGE_FOLDER };
  const { environment, registry } = readConfiguration(PROPERTIES, inputs);
  const [value = '', origin = ''] = viewOfKey(environment, registry, key).lines;
  const file = /\[(application[^\]]*)\]/.exec(origin)?.[1];
  return `${value.replace(`${key} = `, '')}${file ? ` in ${file}` : ''}`;
}

describe('recommended values of the specification in application.yml', () => {
  it.each([
    ['server.port', '8080'],
    ['server.shutdown', 'graceful'],
    ['app.lifecycle.timeout-per-shutdown-phase', '20s'],
    ['server.forward-headers-strategy', 'native'],
    ['server.error.include-stacktrace', 'never'],
    ['server.embedded.threads.max', '200'],
    ['server.embedded.threads.min-spare', '20'],
    ['server.embedded.accept-count', '100'],
    ['server.embedded.connection-timeout', '20s'],
    ['server.embedded.accesslog.enabled', 'true'],
    ['app.datasource.pool.maximum-pool-size', '10'],
    ['app.datasource.pool.minimum-idle', '10'],
    ['app.datasource.pool.connection-timeout', '3000'],
    ['app.datasource.pool.idle-timeout', '600000'],
    ['app.datasource.pool.max-lifetime', '1800000'],
    ['app.datasource.pool.validation-timeout', '1000'],
    ['app.datasource.pool.connection-test-query', 'SELECT 1 FROM DUAL'],
    ['app.jpa.orm.ddl-auto', 'none'],
    ['app.jpa.show-sql', 'false'],
    ['app.jpa.open-in-view', 'false'],
    ['app.jpa.properties.orm.default_batch_fetch_size', '100'],
    ['app.jpa.properties.orm.jdbc.batch_size', '50'],
    ['mapper.mapper-locations', 'classpath:mapper/**/*.xml'],
    ['mapper.configuration.map-underscore-to-camel-case', 'true'],
    ['mapper.configuration.default-statement-timeout', '30'],
    ['mapper.configuration.jdbc-type-for-null', 'NULL'],
    ['mapper.configuration.call-setters-on-nulls', 'true'],
    ['logging.level.root', 'INFO'],
    ['logging.engine.rollingpolicy.max-file-size', '100MB'],
    ['logging.engine.rollingpolicy.max-history', '30'],
    ['logging.engine.rollingpolicy.total-size-cap', '3GB'],
    ['management.endpoints.web.exposure.include', 'health,info,metrics,loggers'],
    ['management.endpoint.health.show-details', 'when-authorized'],
    ['management.endpoint.health.probes.enabled', 'true'],
    ['management.health.db.enabled', 'true'],
    ['management.info.env.enabled', 'true'],
    ['info.app.version', manifest.version],
    ['app.servlet.multipart.max-file-size', '50MB'],
    ['app.servlet.multipart.max-request-size', '100MB'],
    ['app.json.date-format', 'yyyy-MM-dd HH:mm:ss'],
    ['app.json.serialization.write-dates-as-timestamps', 'false'],
    ['app.json.default-property-inclusion', 'non_null'],
    ['server.servlet.encoding.charset', 'UTF-8'],
    ['server.servlet.encoding.force', 'true'],
    ['app.cache.caffeine.spec', 'maximumSize=1000,expireAfterWrite=10m'],
    ['app.task.execution.pool.core-size', '8'],
    ['app.task.execution.pool.max-size', '16'],
    ['app.task.execution.pool.queue-capacity', '100'],
    ['app.task.execution.thread-name-prefix', 'async-'],
  ])('application.yml sets %s to %s', (key, value) => {
    expect(packaged(key)).toBe(`${value} in application.yml`);
  });

  it.each([
    'app.profiles.active',
    'app.datasource.url',
    'app.mail.host',
    'app.data.kvstore.host',
    'logging.file.name',
    'app.servlet.multipart.location',
    'management.server.port',
    'app.security.public-url',
    'app.security.seal.active',
    'app.security.mfa.backup-code.pepper',
  ])('packaged files do not set %s', (key) => {
    expect(packaged(key)).not.toContain(' in application');
  });
});

describe('application-prod.yml', () => {
  it.each([
    ['management.server.port', '9090'],
    ['app.jpa.orm.ddl-auto', 'none'],
    ['app.jpa.open-in-view', 'false'],
    ['app.jpa.show-sql', 'false'],
    ['app.security.seal.active', 'main'],
    ['app.openapi.enabled', 'false'],
  ])('application-prod.yml sets %s to %s', (key, value) => {
    expect(packaged(key, ['--app.profiles.active=prod'])).toBe(`${value} in application-prod.yml`);
  });

  it.each([
    ['app.datasource.url', 'DB_URL'],
    ['app.datasource.username', 'DB_USERNAME'],
    ['app.datasource.password', 'DB_PASSWORD'],
    ['app.security.public-url', 'PUBLIC_URL'],
    ['app.security.seal.keys.main', 'SEAL_KEY'],
    ['app.security.mfa.backup-code.pepper', 'BACKUP_CODE_PEPPER'],
  ])('application-prod.yml takes %s only from the variable %s', (key, name) => {
    const shown = packaged(key, ['--app.profiles.active=prod']);

    expect(shown).toMatch(/ in application-prod\.yml$/);
    expect(shown).toContain(`"\${${name}}"  cannot be used: `);
    expect(shown).toContain(`nothing sets ${name}`);
  });
});

describe('files for operators and the variables of profile prod', () => {
  const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const requiredVariables = [
    ...new Set(
      Array.from(text('src/resources/application-prod.yml').matchAll(/\$\{(\w+)\}/g), ([, name = '']) => name),
    ),
  ];

  it('profile prod requires six variables', () => {
    expect(requiredVariables).toHaveLength(6);
  });

  it.each(requiredVariables)('.env.example has a line for %s', (name) => {
    expect(text('.env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  it.each(requiredVariables)('docker-compose.yml passes %s on', (name) => {
    const { services } = parse(text('docker-compose.yml')) as {
      services: { service: { environment: Readonly<Record<string, string>> } };
    };

    expect(services.service.environment[name]).toMatch(new RegExp(`^\\$\\{${name}:?[-?].+\\}$`));
  });

  it('docker-compose.yml checks the readiness endpoint', () => {
    const { services } = parse(text('docker-compose.yml')) as {
      services: { service: { healthcheck: { test: readonly string[] } } };
    };

    const [script = ''] = services.service.healthcheck.test.slice(-1);
    expect(script).toContain("fetch('http://127.0.0.1:9090/actuator/health/readiness')");
    expect(() => new Script(script)).not.toThrow();
  });

  it.each(requiredVariables)('docs/how-to/deploy/production-settings.md explains how to create %s', (name) => {
    expect(text('docs/how-to/deploy/production-settings.md')).toMatch(
      new RegExp(`^\\| \`${name}\` +\\| \`app\\.[a-z.-]+\` +\\| \\S`, 'm'),
    );
  });
});
