import { join } from 'node:path';
import type { Configuration, ConfigurationInputs } from '../config/configuration.js';
import { isPackaged } from '../config/read/origin.js';
import { readSeparateFile } from '../config/read/separate-file.js';
import { allStates } from '../config/bind/key-state.js';
import type { FileAppenderOptions } from '../logging/file/file-appender.js';
import type { LineForm } from '../logging/format/line-format.js';
import {
  ConsoleAppenderProperties,
  FileAppenderProperties,
  LevelsProperties,
} from '../logging/logging-config.properties.js';
import {
  LoggingCharsetProperties,
  LoggingFileProperties,
  LoggingPatternProperties,
  LoggingProperties,
  RollingpolicyProperties,
  StructuredFormatProperties,
} from '../logging/logging.properties.js';

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

function setupOfFile(path: string, configuration: Configuration, workingFolder: string): LogSetup {
  const read = readSeparateFile([ConsoleAppenderProperties, FileAppenderProperties, LevelsProperties], {
    path,
    workingFolder,
    key: KEY,
    origin: configuration.findOrigin(KEY),
    environment: configuration.environment,
  });
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

/** Warns about configured keys that have no effect beside the file. */
function replacedKeys({ environment, registry }: Configuration): readonly string[] {
  const names = allStates(environment, registry)
    .filter(({ name }) => name.startsWith('logging.') && name !== KEY)
    .filter(({ assignments }) => assignments[0] && !isPackaged(assignments[0].origin))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [`${names.join(', ')}: without effect, as ${KEY} is set`];
}
