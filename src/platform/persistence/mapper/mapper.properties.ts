import { acceptedOnly, full, near } from '../../../config/bind/effect.js';
import { duration, flag, integer, list, oneOf, type ScalarType, text } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';
import type { Duration } from '../../../config/bind/duration.js';

@Properties('mapper')
export class MapperProperties {
  @Key(list(text()), {
    does:
      'Locations of further SQL mapper files: patterns such as file:/etc/login/mapper/**/*.xml. The packaged files ' +
      '(classpath:mapper/**/*.xml) are always read.',
    effect: full,
  })
  readonly mapperLocations: readonly string[] = [];

  @Key(text(), {
    does:
      'Packages of result types that mapper files may name without it, separated by commas; the first one that has the type wins. ' +
      'A name that none of them has is a type of the namespace of its file. With events.totals, events reasons prints no times.',
    effect: near('The packages are the names under which the program declares result types: events and events.totals.'),
  })
  readonly typeAliasesPackage?: string;

  @Key(text(), {
    does: 'XML file with settings, aliases and mappers; a key set under mapper.configuration wins over it.',
    effect: near(
      'The elements settings, typeAliases and mappers are read; other elements and settings prevent startup, and values of the ' +
        'packaged configuration do not win over it.',
    ),
  })
  readonly configLocation?: string;
}

type NullType = (typeof NULL_TYPES)[number];

const NULL_TYPES = ['NULL', 'OTHER', 'VARCHAR'] as const;

const choice = oneOf(...NULL_TYPES);

/** YAML reads an unquoted NULL as no value, which can only mean NULL here. */
const nullType: ScalarType<NullType> = {
  ...choice,
  emptyMeansDefault: false,
  parse: (value) => (value === '' ? 'NULL' : choice.parse(value)),
};

@Properties('mapper.configuration')
export class MapperConfigurationProperties {
  @Key(flag(), {
    does:
      'Fills the member userName from the column user_name. Without it, a column fills a member of the same name only: ' +
      'events reasons then prints no firstAt and lastAt.',
    effect: full,
  })
  readonly mapUnderscoreToCamelCase: boolean = false;

  @Key(integer({ min: 0 }), {
    does:
      'Rows that an export of security events reads at a time, by a statement with this LIMIT; 0 means 500. Every other statement ' +
      'reads all its rows at once.',
    effect: near(
      'At most 5000; the driver has no part in it, since a cursor would hold a connection as long as the reader takes.',
    ),
    defaultText: '500',
  })
  readonly defaultFetchSize?: number;

  @Key(duration({ unit: 's', min: '0s', max: '24d' }), {
    does:
      'Longest run of a mapper statement, in seconds if no unit is given; with 0 or unset, a slow statement holds ' +
      'its connection without limit. The server cancels the statement; otherwise its connection is killed a second later. ' +
      'The embedded database has no server: a statement runs to its end there, and a warning is logged.',
    effect: full,
    defaultText: 'no limit',
  })
  readonly defaultStatementTimeout?: Duration;

  @Key(nullType, {
    does: 'SQL type stated when null is bound to a parameter without a type.',
    effect: acceptedOnly('The driver binds null to a parameter of any type, so that no type is stated.'),
  })
  readonly jdbcTypeForNull: NullType = 'OTHER';

  @Key(flag(), {
    does:
      'Whether null columns are members with the value null in a result; otherwise they are absent, as the member reason in the lines ' +
      'of events reasons. Searches and exports of events have all members in both cases.',
    effect: full,
  })
  readonly callSettersOnNulls: boolean = false;
}
