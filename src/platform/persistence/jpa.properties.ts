import { acceptedOnly, near, onlyValue } from '../../config/bind/effect.js';
import { flag, integer, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.jpa')
export class JpaProperties {
  @Key(flag(), {
    does: 'Prints every SQL statement to standard output, past the log; prefer logging.level.orm.sql.',
    effect: near('Values are never shown; statements of migrations and commands are not printed.'),
  })
  readonly showSql: boolean = false;

  @Key(flag(), {
    does: 'Whether a database session lasts for the whole request; only false has an effect.',
    effect: onlyValue(false, 'No database session outlives its transaction, so that true cannot be offered.'),
  })
  readonly openInView: boolean = false;
}

export type DdlAutoMode = 'none' | 'validate' | 'update' | 'create' | 'create-drop';

@Properties('app.jpa.orm')
export class OrmProperties {
  @Key(oneOf('none', 'validate', 'update', 'create', 'create-drop'), {
    does:
      'How tables are changed at startup, after the migrations: none changes nothing, validate fails on a ' +
      'difference, update adds what is missing, create and create-drop DELETE all data; create-drop does so at shutdown, ' +
      'too.',
    effect: near(
      'The tables are compared with the entities of this version, also their indexes, defaults and collations; ' +
        ' startup fails if update cannot add everything; create runs the migrations again; commands ignore ' +
        'the key; with profile prod, rule 5 rejects every value but none.',
    ),
  })
  readonly ddlAuto: DdlAutoMode = 'none';
}

@Properties('app.jpa.properties.orm')
export class OrmPropertiesProperties {
  @Key(flag(), {
    name: 'format_sql',
    does: 'Prints logged SQL over several lines; for development.',
    effect: near('It applies to app.jpa.show-sql and to the logger orm.sql, where each line is a message of its own.'),
  })
  readonly formatSql: boolean = false;

  @Key(integer({ min: 0 }), {
    name: 'default_batch_fetch_size',
    does: 'Number of owners for which related rows are read by one query; 0 reads them owner by owner.',
    effect: near('An import looks up login ids by it; no other read is for many owners.'),
  })
  readonly defaultBatchFetchSize: number = 0;

  @Key(integer({ min: 0 }), {
    name: 'jdbc.batch_size',
    does: 'Rows written by one insert statement; 0 writes row by row.',
    effect: near(
      'It applies to imported accounts and to backup codes; security events that belong together are always one statement, ' +
        'since they are stored or lost together.',
    ),
  })
  readonly jdbcBatchSize: number = 0;

  @Key(
    text({
      form: /mysql|mariadb|sqlite/i,
      called: 'mysql, mariadb or sqlite, or the name of a dialect class of one of them',
    }),
    {
      does: 'SQL dialect; not needed, since the database URL determines it, and rejected if it does not fit the URL.',
      effect: acceptedOnly(
        'The dialect always follows from the URL; this key is compared with it, and format_sql formats by it.',
      ),
      defaultText: 'from app.datasource.url',
    },
  )
  readonly dialect?: string;
}
