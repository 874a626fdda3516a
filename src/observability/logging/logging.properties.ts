import { full, near } from '../../config/bind/effect.js';
import {
  charsetName,
  dataSize,
  flag,
  integer,
  map,
  mapOfLists,
  oneOf,
  type ScalarType,
  text,
} from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { levelName, type LevelName, loggerName } from './level.js';
import { logPattern } from './pattern/pattern.js';
import { DataSize } from '../../config/bind/data-size.js';
import { archivePattern } from './file/archive-name.js';
import { type Structured, STRUCTURED } from './format/line-format.js';

const FILE = 'file:';

/** The path of the file that configures the log, with or without `file:` in front. */
const configLocation: ScalarType<string> = {
  shape: 'scalar',
  name: 'text',
  expects: 'the path of a file in YAML or JSON, such as file:/etc/login/logging.yml',
  parse: (text) => {
    const path = text.startsWith(FILE) ? text.slice(FILE.length) : text;
    const scheme = /^[a-z][a-z\d+.-]+:/i.exec(path);
    if (scheme) return new ConversionProblem(`${scheme[0]} is not supported; only file: is`);
    if (!/\S/.test(path)) return new ConversionProblem('not the path of a file');
    if (/\.(?:xml|groovy)$/i.test(path)) {
      return new ConversionProblem('files of other logging engines are not supported: write it in YAML or JSON');
    }
    return path;
  },
  format: (path) => FILE + path,
};

@Properties('logging')
export class LoggingProperties {
  @Key(map(levelName, 'logger'), {
    does:
      'Lowest level that is written by a logger, the loggers below its name, or the members of a group; root ' +
      'applies if no nearer level is set.',
    effect: full,
    defaultText: 'root: info',
    // A level is no secret, even that of a logger named token.
    secret: false,
  })
  readonly level: ReadonlyMap<string, LevelName> = new Map();

  @Key(mapOfLists(loggerName, 'group'), {
    does: 'Loggers that share one level, set under the name of their group.',
    effect: full,
    defaultText: 'web: http; sql: orm.sql, mapper',
    secret: false,
  })
  readonly group: ReadonlyMap<string, readonly string[]> = new Map();

  @Key(configLocation, {
    does:
      'File of appenders and levels that replaces the other logging keys, in YAML or JSON, e.g. ' +
      'file:/etc/login/logging.yml.',
    effect: near(
      'The file has a format of its own (docs/how-to/operate/log-files.md); XML of other logging engines is not supported.',
    ),
  })
  readonly config?: string;
}

/** The path must not contain `%d` and `%i`, because archives append the day and a number. */
const path = text({ form: /^(?!.*%[di])(?=.*\S)/s, called: 'the path of a file or folder, without %d and %i' });

@Properties('logging.file')
export class LoggingFileProperties {
  @Key(path, {
    does:
      'File the log is written to in addition to the console, created with its folder if it does not exist; an ' +
      'absolute path does not depend on the working folder. If it cannot be written, the service continues and a ' +
      'warning is logged.',
    effect: full,
    defaultText: 'none: console only',
  })
  readonly name?: string;

  @Key(path, {
    does: 'Folder of the log file, if its name does not matter; logging.file.name takes precedence.',
    effect: near('The file is called login-service.log.'),
    defaultText: 'none: console only',
  })
  readonly path?: string;
}

@Properties('logging.pattern')
export class LoggingPatternProperties {
  @Key(logPattern, {
    does: 'Format of a console line, from the words %d %level %logger %thread %pid %msg %n %X{key:-default} %correlationId %ex %clr.',
    effect: full,
  })
  readonly console: string =
    '%d{yyyy-MM-dd HH:mm:ss.SSSXXX} %-5level %pid --- [%thread] %correlationId%logger{40} : %msg%n%ex';

  @Key(logPattern, {
    does: 'Format of a line in the log file, from the words of logging.pattern.console.',
    effect: full,
    defaultText: 'same as logging.pattern.console',
  })
  readonly file?: string;
}

@Properties('logging.charset')
export class LoggingCharsetProperties {
  @Key(charsetName, {
    does:
      'Character set of lines on standard output. Characters outside it become question marks; JSON is ASCII with ' +
      'escapes if it is not UTF-8.',
    effect: full,
  })
  readonly console: string = 'UTF-8';

  @Key(charsetName, { does: 'Character set of lines in the log file, as logging.charset.console.', effect: full })
  readonly file: string = 'UTF-8';
}

@Properties('logging.engine.rollingpolicy')
export class RollingpolicyProperties {
  @Key(dataSize({ min: 1 }), {
    does:
      'Size above which the log file is rotated; it is also rotated with the first line of a new day in the time ' +
      'zone of the process.',
    effect: full,
  })
  readonly maxFileSize: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(integer({ min: 0, max: 36_500 }), {
    does: 'Days that archived log files are kept, checked at each rotation; 0 keeps them forever.',
    effect: full,
  })
  readonly maxHistory: number = 7;

  @Key(dataSize({ min: 0 }), {
    does: 'Total size of all archived log files; the oldest are deleted first; 0 sets no limit.',
    effect: full,
  })
  readonly totalSizeCap: DataSize = DataSize.ofBytes(0);

  @Key(archivePattern, {
    does:
      'Path of archived log files: %d or %d{yyyy-MM-dd} is the day, %i counts from 0 within it. With .gz ' +
      'at its end they are compressed with gzip, otherwise kept as they are.',
    effect: full,
    defaultText: '${logging.file.name}.%d{yyyy-MM-dd}.%i.gz',
  })
  readonly fileNamePattern?: string;

  @Key(flag(), {
    does: 'Whether startup also deletes archived log files that are too old or too many.',
    effect: full,
  })
  readonly cleanHistoryOnStart: boolean = false;
}

@Properties('logging.structured.format')
export class StructuredFormatProperties {
  @Key(oneOf(...STRUCTURED), {
    does: 'JSON format of console lines, for log collectors; it replaces logging.pattern.console.',
    effect: full,
    defaultText: 'none: logging.pattern.console applies',
  })
  readonly console?: Structured;

  @Key(oneOf(...STRUCTURED), {
    does: 'JSON format of lines in the log file, as logging.structured.format.console.',
    effect: full,
    defaultText: 'none: the pattern applies',
  })
  readonly file?: Structured;
}
