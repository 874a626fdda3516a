import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Configuration, ConfigurationInputs } from './config/configuration.js';
import { Duration } from './config/duration.js';
import type { Environment } from './config/environment.js';
import { KeyName } from './config/key-name.js';
import { type Origin, originText } from './config/origin.js';
import { processTimeZone } from './config/process-inputs.js';
import { namesSecret } from './config/secrets.js';
import { type KeyState, statesOf } from './config/setting.js';
import type { Entry } from './config/source.js';
import type { PropertiesClass } from './config/properties-class.js';
import { UserProperties } from './config/user.properties.js';
import { sameId } from './management/exposure.js';
import { ExposureProperties } from './management/exposure.properties.js';
import { DatasourceProperties } from './persistence/datasource.properties.js';
import { JpaProperties } from './persistence/jpa.properties.js';
import { MapperConfigurationProperties } from './persistence/mapper-configuration.properties.js';
import { OrmProperties } from './persistence/orm.properties.js';
import { JsonProperties } from './server/json.properties.js';
import { LifecycleProperties } from './server/lifecycle.properties.js';

/** A configuration rule of the specification that does not hold, or nearly so. */
export interface Finding {
  /** Number of the rule, or `time zone`. */
  readonly rule: string;
  /** A breach stops a start with profile `prod`; a warning never does. */
  readonly severity: 'breach' | 'warning';
  /** What is broken and what to do, in one line with key, value and origin. */
  readonly text: string;
}

/** Endpoints that show or do more than strangers in the network should get (rule 7). */
const DANGEROUS = ['env', 'configprops', 'heapdump', 'threaddump', 'logfile', 'httpexchanges', 'shutdown'];
const RECOMMENDED = ['health', 'info', 'metrics', 'loggers'];

/** The specification's "Configuration rules" and the equality of the three time zones, one finding per breach. */
export function checkRules(configuration: Configuration, inputs: ConfigurationInputs): readonly Finding[] {
  const facts = new Facts(configuration, inputs);
  return [
    profilesOutsideFiles,
    secretsByReference,
    shutdownWithinGrace,
    productionValues,
    mapperLimits,
    exposure,
    originsKnown,
    timeZones,
  ].flatMap((rule) => rule(facts));
}

class Facts {
  constructor(
    readonly configuration: Configuration,
    readonly inputs: ConfigurationInputs,
  ) {}

  get environment(): Environment {
    return this.configuration.environment;
  }

  get<T extends object>(type: PropertiesClass<T>): T {
    return this.configuration.get(type);
  }

  /** Entries of all files in force. */
  get entriesOfFiles(): readonly Entry[] {
    return this.environment.sources.filter(({ kind }) => kind === 'file').flatMap(({ entries }) => entries);
  }

  /** Where a key's value in force comes from. */
  originOf(key: string): string {
    const origin = this.states.find(({ name }) => name === key)?.settings[0]?.origin;
    return origin ? originText(origin) : 'default value';
  }

  get states(): readonly KeyState[] {
    const { registry } = this.configuration;
    return registry.classes
      .flatMap((owner) => registry.definitionsOf(owner))
      .flatMap((definition) => statesOf(this.environment, definition, registry));
  }

  finding(rule: string, severity: Finding['severity'], key: string, value: string, advice: string): Finding {
    return { rule, severity, text: `${key} = ${value} (${this.originOf(key)}): ${advice}` };
  }
}

type Rule = (facts: Facts) => readonly Finding[];

/** Rule 1. */
const profilesOutsideFiles: Rule = ({ entriesOfFiles }) => {
  const active = KeyName.parse('app.profiles.active').uniform;
  return entriesOfFiles
    .filter(({ key }) => key.uniform === active || key.uniform.startsWith(`${active}.`))
    .map(({ text, origin }) => ({
      rule: '1',
      severity: 'breach',
      text: `app.profiles.active = ${text} (${originText(origin)}): set it by APP_PROFILES_ACTIVE or -Dapp.profiles.active only`,
    }));
};

/** Rule 2: a secret is a `${NAME}` reference; a file that holds one in clear is nobody else's to read. */
const secretsByReference: Rule = ({ entriesOfFiles, configuration, inputs }) => {
  const findings: Finding[] = [];
  for (const { key, spelled, text, origin } of entriesOfFiles) {
    if (origin.kind !== 'position') continue;
    const definition = configuration.registry.find(key);
    const isSecret = definition ? definition.isSecret || (definition.facts.secret ?? namesSecret(spelled)) : namesSecret(spelled);
    if (passwordInUrl(text)) {
      const advice = 'a password inside a URL, use a key of its own or write ${NAME}';
      findings.push({ rule: '2', severity: 'breach', text: `${spelled} (${originText(origin)}): ${advice}` });
      continue;
    }
    if (!isSecret || isReference(text)) continue;
    const place = `${spelled} (${originText(origin)})`;
    const isFileOfOneSecret = origin.resource.kind === 'file' && !/\.(?:ya?ml|properties)$/.test(origin.resource.path);
    if (definition && !isFileOfOneSecret) {
      findings.push({ rule: '2', severity: 'breach', text: `${place}: a secret in clear, write \${NAME} and set NAME in the environment` });
    } else if (origin.resource.kind === 'classpath') {
      findings.push({ rule: '2', severity: 'breach', text: `${place}: a secret inside the package, keep it outside` });
    } else if (origin.resource.kind === 'file') {
      findings.push(...readableByOthers(resolve(inputs.workingFolder, origin.resource.path), place));
    }
  }
  findings.push(...readableByOthers(join(inputs.workingFolder, '.env'), 'the file .env of the working folder'));
  return findings;
};

/** True where something other than a placeholder stands for a password in a URL. */
function passwordInUrl(text: string): boolean {
  const written = text.replaceAll(/\$\{[^{}]*\}/g, '');
  return /:\/\/[^\s/?#@:]*:[^\s/?#]+@|[?&;](?:password|secret|token)=[^&;\s]/i.test(written);
}

function isReference(text: string): boolean {
  return text === '' || /^\$\{[^:{}]+(?::)?\}$/.test(text);
}

function readableByOthers(path: string, what: string): readonly Finding[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o077) === 0) return [];
  const octal = (mode & 0o777).toString(8);
  return [{ rule: '2', severity: 'breach', text: `${what}: holds secrets and has mode ${octal}, must be 600` }];
}

/** Rule 3. */
const shutdownWithinGrace: Rule = (facts) => {
  const stated = facts.inputs.variables['TERMINATION_GRACE'];
  if (stated === undefined || stated === '') return [];
  const wait = facts.get(LifecycleProperties).timeoutPerShutdownPhase;
  const key = 'app.lifecycle.timeout-per-shutdown-phase';
  const seconds = /^\d+$/.test(stated.trim()) ? Number(stated) : undefined;
  if (seconds === undefined) {
    return [{ rule: '3', severity: 'breach', text: `TERMINATION_GRACE = ${stated}: must be the stop timeout of the process manager in whole seconds` }];
  }
  if (wait.seconds < seconds) return [];
  const grace = Duration.ofSeconds(seconds).toString();
  return [facts.finding('3', 'breach', key, wait.toString(), `must be shorter than the stop timeout of the process manager, TERMINATION_GRACE = ${grace}`)];
};

/** Rule 5. */
const productionValues: Rule = (facts) => {
  const { ddlAuto } = facts.get(OrmProperties);
  const { openInView, showSql } = facts.get(JpaProperties);
  const findings: Finding[] = [];
  if (ddlAuto !== 'none') {
    findings.push(facts.finding('5', 'breach', 'app.jpa.orm.ddl-auto', ddlAuto, 'must be none in production; tables change by migrations'));
  }
  if (openInView) findings.push(facts.finding('5', 'breach', 'app.jpa.open-in-view', 'true', 'must be false in production'));
  if (showSql) {
    findings.push(facts.finding('5', 'breach', 'app.jpa.show-sql', 'true', 'must be false in production; use the logger orm.sql'));
  }
  return findings;
};

/** Rule 6. */
const mapperLimits: Rule = (facts) => {
  const { defaultStatementTimeout, jdbcTypeForNull } = facts.get(MapperConfigurationProperties);
  const findings: Finding[] = [];
  if (!defaultStatementTimeout || defaultStatementTimeout.milliseconds === 0) {
    const value = defaultStatementTimeout?.toString() ?? 'unset';
    findings.push(
      facts.finding('6', 'breach', 'mapper.configuration.default-statement-timeout', value, 'set it, 30 (seconds) is a good start: without it a slow statement never ends'),
    );
  }
  if (jdbcTypeForNull !== 'NULL') {
    findings.push(facts.finding('6', 'breach', 'mapper.configuration.jdbc-type-for-null', jdbcTypeForNull, 'must be NULL'));
  }
  return findings;
};

/** Rule 7. */
const exposure: Rule = (facts) => {
  const { include, exclude } = facts.get(ExposureProperties);
  const isExcluded = (id: string): boolean => exclude.some((item) => item === '*' || sameId(item, id));
  const key = 'management.endpoints.web.exposure.include';
  return include.flatMap((id) => {
    const isDangerous = id === '*' ? !DANGEROUS.every(isExcluded) : DANGEROUS.some((other) => sameId(other, id)) && !isExcluded(id);
    if (isDangerous) {
      const shows = id === '*' ? `everything is exposed, ${DANGEROUS.filter((other) => !isExcluded(other)).join(', ')} too` : `${id} can reveal secrets or stop the service`;
      return [facts.finding('7', 'breach', key, include.join(','), `${shows}; expose only ${RECOMMENDED.join(',')}`)];
    }
    if (id === '*' || isExcluded(id) || RECOMMENDED.some((other) => sameId(other, id))) return [];
    return [facts.finding('7', 'warning', key, include.join(','), `${id} is more than the recommended ${RECOMMENDED.join(',')}`)];
  });
};

/** Rule 8: what is in force can be traced to a place. */
const originsKnown: Rule = ({ states }) =>
  states
    .flatMap(({ name, settings }) => settings.slice(0, 1).map(({ origin }) => ({ name, origin })))
    .filter(({ origin }) => !isTraceable(origin))
    .map(({ name }) => ({ rule: '8', severity: 'breach', text: `${name}: nobody can tell where its value comes from` }));

function isTraceable(origin: Origin): boolean {
  return origin.kind === 'position' ? origin.resource.path !== '' && origin.line > 0 : origin.name !== '';
}

/** The zones of the process, of JSON and, where its URL states one, of the database must be one. */
const timeZones: Rule = (facts) => {
  const ofProcess = facts.get(UserProperties).timezone ?? processTimeZone();
  const ofJson = facts.get(JsonProperties).timeZone;
  const stated = /[?&](?:serverTimezone|connectionTimeZone)=([^&]+)/i.exec(facts.get(DatasourceProperties).url)?.[1];
  const ofDatabase = stated === undefined ? undefined : decodeURIComponent(stated);
  if (sameZone(ofProcess, ofJson) && (ofDatabase === undefined || sameZone(ofDatabase, ofJson))) return [];
  const database = ofDatabase === undefined ? '' : `, database ${ofDatabase} (${facts.originOf('app.datasource.url')})`;
  const json = `app.json.time-zone ${ofJson} (${facts.originOf('app.json.time-zone')})`;
  return [
    {
      rule: 'time zone',
      severity: 'breach',
      text: `process ${ofProcess}, ${json}${database}: make them equal, e.g. by -Duser.timezone=${ofJson}`,
    },
  ];
};

function sameZone(one: string, other: string): boolean {
  return canonicalZone(one) === canonicalZone(other);
}

function canonicalZone(zone: string): string {
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    return ['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT', '+00:00'].includes(known) ? 'UTC' : known;
  } catch {
    return zone;
  }
}
