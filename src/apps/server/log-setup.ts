import { join } from 'node:path';
import type { Configuration, ConfigurationInputs } from '../../config/configuration.js';
import { isPackaged } from '../../config/read/origin.js';
import { Environment } from '../../config/read/environment.js';
import { KeyName } from '../../config/names/key-name.js';
import { ifBound } from '../../config/bind/unbound.js';
import { ConfigSource } from '../../config/read/source.js';
import { readSeparateFile, type SeparateContent } from '../../config/read/separate-file.js';
import { allStates } from '../../config/bind/key-state.js';
import type { FileAppenderOptions } from '../../observability/logging/file/file-appender.js';
import type { LineForm } from '../../observability/logging/format/line-format.js';
import {
  ConsoleAppenderProperties,
  FileAppenderProperties,
  LevelsProperties,
} from '../../observability/logging/logging-config.properties.js';
import {
  LoggingCharsetProperties,
  LoggingFileProperties,
  LoggingPatternProperties,
  LoggingProperties,
  RollingpolicyProperties,
  StructuredFormatProperties,
} from '../../observability/logging/logging.properties.js';

/** Name of the log file if only its folder is configured. */
const USUAL_NAME = 'login-service.log';
const KEY = 'logging.config';

/** A log file, without the function that formats its lines. */
export interface LogFileSetup extends Omit<FileAppenderOptions, 'format' | 'charset' | 'clock' | 'warn'> {
  readonly form: LineForm;
}

/** The set-up of the log, from the keys or from the file of `logging.config`. */
export interface LogSetup {
  /** Undefined if nothing is written to standard output. */
  readonly console: LineForm | undefined;
  readonly file: LogFileSetup | undefined;
  readonly levels: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Warnings for the operator at startup. */
  readonly warnings: readonly string[];
}

/** @throws ConfigurationFailure if the file of `logging.config` cannot be used */
export function logSetup(
  configuration: Configuration,
  { workingFolder }: Pick<ConfigurationInputs, 'workingFolder'>,
): LogSetup {
  const logging = configuration.get(LoggingProperties);
  if (logging.config !== undefined) return setupOfFile(logging.config, configuration, workingFolder);
  const patterns = configuration.get(LoggingPatternProperties);
  const { name, path } = configuration.get(LoggingFileProperties);
  const file = name ?? (path === undefined ? undefined : join(path, USUAL_NAME));
  const policy = configuration.get(RollingpolicyProperties);
  const structured = configuration.get(StructuredFormatProperties);
  const charset = configuration.get(LoggingCharsetProperties);
  const fileForm = {
    pattern: patterns.file ?? patterns.console,
    structured: structured.file,
    charset: charset.file,
  };
  return {
    console: { pattern: patterns.console, structured: structured.console, charset: charset.console },
    file: file === undefined ? undefined : fileSetup(file, fileForm, policy),
    levels: logging.level,
    groups: logging.group,
    warnings: [],
  };
}

function readLogFile(path: string, configuration: Configuration, workingFolder: string): SeparateContent {
  return readSeparateFile([ConsoleAppenderProperties, FileAppenderProperties, LevelsProperties], {
    path,
    workingFolder,
    key: KEY,
    origin: configuration.findOrigin(KEY),
    environment: configuration.environment,
  });
}

function setupOfFile(path: string, configuration: Configuration, workingFolder: string): LogSetup {
  const { instances: read } = readLogFile(path, configuration, workingFolder);
  const toConsole = read.get(ConsoleAppenderProperties) as ConsoleAppenderProperties;
  const toFile = read.get(FileAppenderProperties) as FileAppenderProperties;
  const { levels, groups } = read.get(LevelsProperties) as LevelsProperties;
  const usual = new LoggingPatternProperties().console;
  const pattern = toConsole.pattern ?? usual;
  const fileForm = { pattern: toFile.pattern ?? pattern, structured: toFile.format, charset: toFile.charset };
  return {
    console: toConsole.enabled ? { pattern, structured: toConsole.format, charset: toConsole.charset } : undefined,
    file: toFile.name === undefined ? undefined : fileSetup(toFile.name, fileForm, toFile),
    levels,
    groups,
    warnings: replacedKeys(configuration),
  };
}

function fileSetup(file: string, form: LineForm, policy: RollingpolicyProperties): LogFileSetup {
  return {
    file,
    form,
    maxFileBytes: policy.maxFileSize.bytes,
    maxHistory: policy.maxHistory,
    totalSizeCapBytes: policy.totalSizeCap.bytes,
    fileNamePattern: policy.fileNamePattern,
    cleanHistoryOnStart: policy.cleanHistoryOnStart,
  };
}

/** Keys that members of the file replace; no key corresponds to `appenders.console.enabled`. */
const KEYS_OF_MEMBERS: readonly (readonly [member: string, key: string])[] = [
  ['levels', 'logging.level'],
  ['groups', 'logging.group'],
  ['appenders.console.pattern', 'logging.pattern.console'],
  ['appenders.console.format', 'logging.structured.format.console'],
  ['appenders.console.charset', 'logging.charset.console'],
  ['appenders.file.name', 'logging.file.name'],
  ['appenders.file.pattern', 'logging.pattern.file'],
  ['appenders.file.format', 'logging.structured.format.file'],
  ['appenders.file.charset', 'logging.charset.file'],
  ['appenders.file', 'logging.engine.rollingpolicy'],
];

/**
 * The file of `logging.config` as a source of the keys that it replaces; undefined without one.
 * @throws ConfigurationFailure if the file cannot be used
 */
export function logSource(
  configuration: Configuration,
  { workingFolder }: Pick<ConfigurationInputs, 'workingFolder'>,
): ConfigSource | undefined {
  const path = ifBound(() => configuration.get(LoggingProperties).config, undefined);
  if (path === undefined) return undefined;
  const { entries } = readLogFile(path, configuration, workingFolder);
  const asKeys = entries.flatMap((entry) => {
    const key = keyOfMember(entry.key);
    return key ? [{ ...entry, key, spelled: String(key) }] : [];
  });
  return new ConfigSource('file', `Config resource 'file [${path}]' via ${KEY}`, asKeys, isReplaced);
}

function keyOfMember(member: KeyName): KeyName | undefined {
  for (const [name, key] of KEYS_OF_MEMBERS) {
    const { length, uniform } = KeyName.parse(name);
    if (member.uniformFrom(0, length) === uniform) return KeyName.parse(key).appendFrom(member, length);
  }
  return undefined;
}

function isReplaced(key: KeyName): boolean {
  return key.uniformPart(0) === 'logging' && key.uniform !== KEY;
}

/** Warns about configured keys that have no effect beside the file. */
function replacedKeys({ environment, registry }: Configuration): readonly string[] {
  const others = new Environment(environment.sources.filter(({ replaces }) => !replaces));
  const names = allStates(others, registry)
    .filter(({ name }) => name.startsWith('logging.') && name !== KEY)
    .filter(({ assignments }) => assignments[0] && !isPackaged(assignments[0].origin))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [`${names.join(', ')}: without effect, as ${KEY} is set`];
}
