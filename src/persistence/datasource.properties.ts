import { acceptedOnly, full } from '../config/bind/effect.js';
import { type ScalarType, text } from '../config/bind/key-type.js';
import { Mismatch } from '../config/bind/mismatch.js';
import type { SelfChecking, Violation } from '../config/bind/properties-class.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { healthComponent } from '../health/declared-components.js';
import { parseJdbcUrl } from './jdbc/jdbc-url.js';

const jdbcUrl: ScalarType<string> = {
  ...text(),
  name: 'JDBC URL',
  expects: 'a JDBC URL such as jdbc:mariadb://db:3306/login or jdbc:sqlite:./data/login.db',
  parse: (url) => {
    const location = parseJdbcUrl(url);
    return location instanceof Mismatch ? location : url;
  },
};

/** Health has it where the service runs. */
export const DB_COMPONENT = healthComponent('db');

@Properties('app.datasource')
export class DatasourceProperties implements SelfChecking {
  @Key(jdbcUrl, {
    does: 'Database of the service: jdbc:mysql://, jdbc:mariadb://, or jdbc:sqlite:<path> for the embedded one.',
    effect: full,
  })
  readonly url: string = 'jdbc:sqlite:./data/login.db';

  @Key(text(), { does: 'Account on the database server; the embedded database has none.', effect: full })
  readonly username?: string;

  @Key(text(), {
    does: 'Password of the database account; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly password?: string;

  @Key(text(), {
    does: 'Driver class of the database; not needed, since the URL decides.',
    effect: acceptedOnly('checked against the URL; the driver itself always follows from the URL'),
  })
  readonly driverClassName?: string;

  violations(): readonly Violation[] {
    const driver = this.driverClassName ?? '';
    const scheme = /^jdbc:[a-z]+/.exec(this.url)?.[0] ?? '';
    if (driver === '' || engineIn(driver) === engineIn(scheme)) return [];
    return [
      {
        property: 'driverClassName',
        against: ['url'],
        reason: 'does not fit the database named by app.datasource.url: remove it',
      },
    ];
  }
}

/** The MySQL and the MariaDB driver each speak to both servers. */
function engineIn(name: string): 'sqlite' | 'mysql' | null {
  if (/sqlite/i.test(name)) return 'sqlite';
  return /mysql|mariadb/i.test(name) ? 'mysql' : null;
}
