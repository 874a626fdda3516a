import { notYet } from '../config/bind/effect.js';
import { flag, integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.jpa.properties.orm')
export class OrmPropertiesProperties {
  @Key(flag(), {
    name: 'format_sql',
    does: 'Prints logged SQL over several lines; for development.',
    effect: notYet('F'),
  })
  readonly formatSql: boolean = false;

  @Key(integer({ min: 0 }), {
    name: 'default_batch_fetch_size',
    does: 'Owners whose related rows are read by one query; 0 reads them owner by owner.',
    effect: notYet('N'),
  })
  readonly defaultBatchFetchSize: number = 0;

  @Key(integer({ min: 0 }), {
    name: 'jdbc.batch_size',
    does: 'Rows written by one insert statement; 0 writes row by row.',
    effect: notYet('N'),
  })
  readonly jdbcBatchSize: number = 0;

  @Key(
    text({
      form: /mysql|mariadb|sqlite/i,
      called: 'mysql, mariadb or sqlite, or the name of a dialect class of one of them',
    }),
    {
      does: 'SQL dialect; not needed, since the database URL decides, and refused where it does not fit the URL.',
      effect: notYet('A'),
      defaultText: 'from app.datasource.url',
    },
  )
  readonly dialect?: string;
}
