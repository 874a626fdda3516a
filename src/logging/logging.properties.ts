import { full, near } from '../config/bind/effect.js';
import { dataSize, flag, integer, map, mapOfLists, oneOf, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { configLocation } from './config-location.js';
import { levelWord, type LevelWord, loggerName } from './level-words.js';
import { logPattern } from './pattern/log-pattern.js';
import { charsetName } from '../config/bind/charset-name.js';
import { DataSize } from '../config/bind/data-size.js';
import { archivePattern } from './file/archive-name.js';
import { type Structured, STRUCTURED } from './format/line-format.js';

@Properties('logging')
export class LoggingProperties {
  @Key(map(levelWord, 'logger'), {
    does:
      'Lowest level that is written by a logger, those below its name, or the members of a group; root counts where ' +
      'none is nearer.',
    effect: full,
    defaultText: 'root: info',
    // A level is no secret, even that of a logger named token.
    secret: false,
  })
  readonly level: ReadonlyMap<string, LevelWord> = new Map();

  @Key(mapOfLists(loggerName, 'group'), {
    does: 'Loggers whose level is set together under the name of their group.',
    effect: full,
    defaultText: 'web: http; sql: orm.sql, mapper',
    secret: false,
  })
  readonly group: ReadonlyMap<string, readonly string[]> = new Map();

  @Key(configLocation, {
    does:
      'File of appenders and levels that replaces the other logging keys, in YAML or JSON, e.g. ' +
      'file:/etc/login/logging.yml.',
    effect: near('A format of its own (docs/operations.md, "Log files"); XML of other logging engines is refused.'),
  })
  readonly config?: string;
}

/** Its archives have the day and a number behind its name. */
const path = text({ form: /^(?!.*%[di])(?=.*\S)/s, called: 'the path of a file or folder, without %d and %i' });

@Properties('logging.file')
export class LoggingFileProperties {
  @Key(path, {
    does:
      'File the log is written to besides the console, made with its folder where it is missing; an absolute path does ' +
      'not depend on the working folder. Where it cannot be written, the service goes on and a warning says so.',
    effect: full,
    defaultText: 'none: console only',
  })
  readonly name?: string;

  @Key(path, {
    does: 'Folder of the log file, for those who do not mind its name; logging.file.name comes before it.',
    effect: near('The file is called login-service.log.'),
    defaultText: 'none: console only',
  })
  readonly path?: string;
}

@Properties('logging.pattern')
export class LoggingPatternProperties {
  @Key(logPattern, {
    does: 'Form of a console line, of the words %d %level %logger %thread %pid %msg %n %X{key:-default} %ex %clr.',
    effect: full,
  })
  readonly console: string = '%d{yyyy-MM-dd HH:mm:ss.SSSXXX} %-5level %pid --- [%thread] %logger{40} : %msg%n%ex';

  @Key(logPattern, {
    does: 'Form of a line in the log file, of the words of logging.pattern.console.',
    effect: full,
    defaultText: 'same as logging.pattern.console',
  })
  readonly file?: string;
}

@Properties('logging.charset')
export class LoggingCharsetProperties {
  @Key(charsetName, {
    does:
      'Character set of lines on standard output. What it does not have becomes a question mark; JSON is ASCII with ' +
      'escapes where it is not UTF-8.',
    effect: full,
  })
  readonly console: string = 'UTF-8';

  @Key(charsetName, { does: 'The same for the log file.', effect: full })
  readonly file: string = 'UTF-8';
}

@Properties('logging.engine.rollingpolicy')
export class RollingpolicyProperties {
  @Key(dataSize({ min: 1 }), {
    does:
      'Size above which the log file is packed away and a new one begun, which also happens with the first line of a ' +
      'new day in the time zone of the process.',
    effect: full,
  })
  readonly maxFileSize: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(integer({ min: 0, max: 36_500 }), {
    does: 'Days packed log files are kept, looked at whenever a file is packed; 0 keeps them for ever.',
    effect: full,
  })
  readonly maxHistory: number = 7;

  @Key(dataSize({ min: 0 }), {
    does: 'Room all packed log files may take together, the oldest going first; 0 sets no limit.',
    effect: full,
  })
  readonly totalSizeCap: DataSize = DataSize.ofBytes(0);

  @Key(archivePattern, {
    does:
      'Path of packed log files: %d or %d{yyyy-MM-dd} stands for the day, %i counts from 0 within it. With .gz at its ' +
      'end they are packed with gzip, otherwise kept as they are.',
    effect: full,
    defaultText: '${logging.file.name}.%d{yyyy-MM-dd}.%i.gz',
  })
  readonly fileNamePattern?: string;

  @Key(flag(), {
    does: 'Whether a start, too, deletes packed log files that are too old or too many.',
    effect: full,
  })
  readonly cleanHistoryOnStart: boolean = false;
}

@Properties('logging.structured.format')
export class StructuredFormatProperties {
  @Key(oneOf(...STRUCTURED), {
    does: 'Form of JSON in which console lines are written, for collectors of logs; logging.pattern.console rests then.',
    effect: full,
    defaultText: 'none: logging.pattern.console counts',
  })
  readonly console?: Structured;

  @Key(oneOf(...STRUCTURED), {
    does: 'The same for the lines of the log file.',
    effect: full,
    defaultText: 'none: the pattern counts',
  })
  readonly file?: Structured;
}
