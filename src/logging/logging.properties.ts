import { full, near } from '../config/bind/effect.js';
import { map, mapOfLists } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { configLocation } from './config-location.js';
import { levelWord, type LevelWord, loggerName } from './level-words.js';

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
