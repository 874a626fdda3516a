import { notYet, noEffect } from '../config/bind/effect.js';
import { flag } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('app.jpa')
export class JpaProperties {
  @Key(flag(), {
    does: 'Prints every SQL statement to standard output, past the log; prefer logging.level.orm.sql.',
    effect: notYet('F'),
  })
  readonly showSql: boolean = false;

  @Key(flag(), {
    does: 'Whether a database session lasts for the whole request; false is the only value that comes true.',
    effect: noEffect('no session outlives its transaction: true is not offered'),
  })
  readonly openInView: boolean = false;
}
