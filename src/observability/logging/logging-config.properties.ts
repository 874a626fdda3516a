import { full } from '../../config/bind/effect.js';
import { charsetName, flag, map, mapOfLists, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Members } from '../../config/bind/properties.decorator.js';
import { levelName, type LevelName, loggerName } from './level.js';
import { type Structured, STRUCTURED } from './format/line-format.js';
import { logPattern } from './pattern/pattern.js';
import { RollingpolicyProperties } from './logging.properties.js';

/** Console section of the file that `logging.config` names. The members of the file are not keys of the service. */
@Members('appenders.console')
export class ConsoleAppenderProperties {
  @Key(flag(), { does: 'Whether lines go to standard output.', effect: full })
  readonly enabled: boolean = true;

  @Key(logPattern, {
    does: 'As logging.pattern.console.',
    effect: full,
  })
  readonly pattern?: string;

  @Key(oneOf(...STRUCTURED), { does: 'As logging.structured.format.console.', effect: full })
  readonly format?: Structured;

  @Key(charsetName, { does: 'As logging.charset.console.', effect: full })
  readonly charset: string = 'UTF-8';
}

/** File section of that file: the file and its archives. */
@Members('appenders.file')
export class FileAppenderProperties extends RollingpolicyProperties {
  @Key(text({ form: /^(?!.*%[di])(?=.*\S)/s, called: 'the path of a file, without %d and %i' }), {
    does: 'As logging.file.name.',
    effect: full,
  })
  readonly name?: string;

  @Key(logPattern, {
    does: 'As logging.pattern.file.',
    effect: full,
  })
  readonly pattern?: string;

  @Key(oneOf(...STRUCTURED), { does: 'As logging.structured.format.file.', effect: full })
  readonly format?: Structured;

  @Key(charsetName, { does: 'As logging.charset.file.', effect: full })
  readonly charset: string = 'UTF-8';
}

/** The other members of that file. */
@Members()
export class LevelsProperties {
  @Key(map(levelName, 'logger'), {
    does: 'As logging.level.',
    effect: full,
    secret: false,
  })
  readonly levels: ReadonlyMap<string, LevelName> = new Map();

  @Key(mapOfLists(loggerName, 'group'), {
    does: 'As logging.group.',
    effect: full,
    secret: false,
  })
  readonly groups: ReadonlyMap<string, readonly string[]> = new Map();
}
