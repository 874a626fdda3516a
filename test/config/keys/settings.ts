import { readFileSync } from 'node:fs';
import { KeyName, variableForms } from '../../../src/config/names/key-name.js';
import { registry, sampleOf } from './examples.js';
import { keysOfSpecification } from './specification.js';

/** A key of the specification's tables with a value; all of them together make a service that starts. */
export interface Setting {
  readonly name: string;
  readonly variable: string;
  readonly text: string;
  readonly isSecret: boolean;
  /** The key is read before any file. */
  readonly isFromProcessOnly: boolean;
  /** The key has a meaning only in the document that contains it. */
  readonly isOfDocument: boolean;
  /** The key can be set together with all others. */
  readonly isForAll: boolean;
}

/** Values that must fit each other, this machine, or a service that tests can call. */
const TEXTS: Readonly<Record<string, string>> = {
  'app.profiles.active': 'sample',
  'app.profiles.group.name': 'sample',
  'app.config.additional-location': 'optional:file:./more/',
  'app.config.import': 'optional:file:./more.yml',
  'app.config.activate.on-profile': 'sample',
  'server.port': '0',
  'server.address': '127.0.0.1',
  'server.error.include-stacktrace': 'never',
  'server.embedded.accesslog.directory': 'own-logs',
  'app.datasource.url': 'jdbc:sqlite:./data/own.db',
  'app.datasource.password': 'sesame-of-the-database',
  'app.datasource.driver-class-name': 'org.sqlite.JDBC',
  'app.datasource.pool.connection-test-query': 'SELECT 1 FROM DUAL',
  'app.jpa.orm.ddl-auto': 'none',
  'app.jpa.open-in-view': 'false',
  'logging.level.root': 'INFO',
  'logging.file.name': 'own-logs/service.log',
  'logging.pattern.console': '%d{HH:mm} %-5level %msg%n',
  'management.server.port': '0',
  'management.endpoints.web.base-path': '/manage',
  'management.endpoints.web.exposure.include': 'health,info,env',
  'app.servlet.multipart.location': '.',
  'app.json.time-zone': 'UTC',
  'app.json.date-format': 'yyyy-MM-dd',
  'user.timezone': 'UTC',
  'app.cache.type': 'none',
  'app.cache.caffeine.spec': 'maximumSize=7',
};

/** This key would replace all other keys of logging. */
const NOT_BESIDE_OTHERS = ['logging.config', 'mapper.mapper-locations', 'mapper.config-location'];
const OF_DOCUMENTS = ['app.config.activate.on-profile'];

export const settings: readonly Setting[] = [
  ...keysOfSpecification(readFileSync(new URL('../specification-tables.md', import.meta.url), 'utf8')),
].map(([inTable, example]) => {
  // Three rows are about loggers, each about another one.
  const name = inTable.includes('<')
    ? inTable.replace(/<([^>]*)>/, (_, free: string) => free.split('_')[0] ?? '')
    : example;
  const definition = registry.find(KeyName.parse(name));
  if (!definition) throw new TypeError(`${name} is not registered`);
  const type = definition.type.shape === 'map' ? definition.type.element : definition.type;
  if (type.shape === 'objects') throw new TypeError(`${name} has no single value`);
  return {
    name,
    variable: variableForms(name)[0] ?? name,
    text: TEXTS[name] ?? sampleOf({ name, type }),
    isSecret: definition.isSecret,
    isFromProcessOnly: definition.facts.fromProcessOnly ?? false,
    isOfDocument: OF_DOCUMENTS.includes(name),
    isForAll: !NOT_BESIDE_OTHERS.includes(name),
  };
});
