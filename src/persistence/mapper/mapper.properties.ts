import { notYet } from '../../config/bind/effect.js';
import { list, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('mapper')
export class MapperProperties {
  @Key(list(text()), {
    does: 'Where the SQL mapper files are: patterns such as classpath:mapper/**/*.xml or file:/etc/login/mapper/*.xml.',
    effect: notYet('F'),
  })
  readonly mapperLocations: readonly string[] = [];

  @Key(text(), {
    does: 'Package or folder whose result classes mapper files may name without it.',
    effect: notYet('N'),
  })
  readonly typeAliasesPackage?: string;

  @Key(text(), {
    does: 'XML file with settings, aliases and mappers; a key set under mapper.configuration wins over it.',
    effect: notYet('N'),
  })
  readonly configLocation?: string;
}
