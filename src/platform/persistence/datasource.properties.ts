import { acceptedOnly, full, near } from '../../config/bind/effect.js';
import { duration, integer, type ScalarType, text } from '../../config/bind/key-type.js';
import { ConversionProblem } from '../../config/problem.js';
import type { Adjustment, SelfAdjusting, SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../observability/health/health-components.js';
import { bundleName } from '../tls/bundle-name.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { adjustedSettings, type PoolSettings } from './pool/pool-settings.js';
import { parseJdbcUrl } from './jdbc/jdbc-url.js';
import { Duration } from '../../config/bind/duration.js';

const jdbcUrl: ScalarType<string> = {
  ...text(),
  name: 'JDBC URL',
  expects: 'a JDBC URL such as jdbc:mariadb://db:3306/login or jdbc:sqlite:./data/login.db',
  parse: (url) => {
    const location = parseJdbcUrl(url);
    return location instanceof ConversionProblem ? location : url;
  },
};

/** Name of the database component in health responses. */
export const DB_COMPONENT = healthComponent('db');

export const DATABASE_BUNDLE = 'app.datasource.ssl.bundle';

@Properties('app.datasource')
export class DatasourceProperties implements SelfChecking {
  @Key(jdbcUrl, {
    does: 'Database of the service: jdbc:mysql://, jdbc:mariadb://, or jdbc:sqlite:<path> for the embedded one.',
    effect: full,
  })
  readonly url: string = 'jdbc:sqlite:./data/login.db';

  @Key(text(), { does: 'User name on the database server; the embedded database has none.', effect: full })
  readonly username?: string;

  @Key(text(), {
    does: 'Password of the database user; write ${NAME} and keep the value in the environment.',
    effect: full,
  })
  readonly password?: string;

  @Key(text(), {
    does: 'Driver class of the database; not needed, since the URL decides.',
    effect: acceptedOnly('The driver always follows from the URL; this key is only compared with it.'),
  })
  readonly driverClassName?: string;

  @Key(bundleName, {
    name: 'ssl.bundle',
    does:
      'Certificate bundle for the connections to the database server: its authorities, if it has any, replace those of the ' +
      'runtime, and its certificate, if it has one, identifies this service. sslMode in the URL says what is verified; ' +
      'without it, a bundle means VERIFY_IDENTITY.',
    effect: near('The embedded database has no connection to protect, so that the key has no effect there.'),
  })
  readonly sslBundle?: string;

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

/** The MySQL driver and the MariaDB driver each work with both servers. */
function engineIn(name: string): 'sqlite' | 'mysql' | null {
  if (/sqlite/i.test(name)) return 'sqlite';
  return /mysql|mariadb/i.test(name) ? 'mysql' : null;
}

/** The account that changes tables, so that the running service needs no right to do so. */
@Properties('app.datasource.migration')
export class MigrationAccountProperties {
  @Key(text(), {
    does: 'Database user that changes tables: at startup, and for the command migrate. The embedded database has none.',
    effect: full,
    defaultText: 'same as app.datasource.username',
  })
  readonly username?: string;

  @Key(text(), {
    does: 'Password of that user; write ${NAME} and keep the value in the environment.',
    effect: full,
    defaultText: 'same as app.datasource.password, if no migration user is set',
  })
  readonly password?: string;
}

const pooled = near('The embedded database has one connection, so that the key has no effect there.');

/** Accepts values that the pool replaces by safer ones, such as a wait below 250 ms; the values in force are shown. */
@Properties('app.datasource.pool')
export class PoolProperties implements SelfAdjusting {
  @Key(integer({ min: 1 }), {
    does:
      'Maximum number of database connections; the number of instances times this value must stay below the limit ' +
      'of the server. Twice the cores of the server is a good start.',
    effect: pooled,
  })
  readonly maximumPoolSize: number = 10;

  @Key(integer({ min: 0 }), {
    does: 'Connections kept open while idle.',
    effect: pooled,
    defaultText: 'same as maximum-pool-size',
  })
  readonly minimumIdle?: number;

  @Key(duration({ min: '0ms', max: '24d' }), {
    does:
      'Longest time in which a request waits for the database server: for a free connection and its first answer ' +
      'together, then for each answer. Beyond it the request fails with 503, and the connection and its statement are ' +
      'ended at the server. It also limits how long a connection takes to open; 0 sets no limit.',
    effect: near(
      'Statements of tasks and commands have 60 s; socketTimeout and connectTimeout in app.datasource.url replace the ' +
        'limits for responses and for opening; nothing waits on the embedded database.',
    ),
  })
  readonly connectionTimeout: Duration = Duration.ofMillis(30_000);

  @Key(duration({ min: '0ms', max: '24d' }), {
    does:
      'Unused time after which a connection above minimum-idle is closed; 0 keeps it; without effect while both ' +
      'sizes are equal.',
    effect: pooled,
  })
  readonly idleTimeout: Duration = Duration.ofMillis(600_000);

  @Key(duration({ min: '0ms', max: '24d' }), {
    does:
      'Age at which a connection is replaced; keep it below the idle cut-off of database and firewall; 0 sets no ' +
      'limit.',
    effect: pooled,
  })
  readonly maxLifetime: Duration = Duration.ofMillis(1_800_000);

  @Key(duration({ min: '0ms', max: '24d' }), {
    does: 'Longest wait for the check that a connection is alive; keep it below connection-timeout.',
    effect: full,
  })
  readonly validationTimeout: Duration = Duration.ofMillis(5000);

  @Key(text(), {
    does: 'Query that checks whether a connection is alive; on the embedded database a final FROM DUAL is dropped.',
    effect: full,
    defaultText: 'none: the ping of the database protocol',
  })
  readonly connectionTestQuery?: string;

  @Key(text({ form: /^[^:\s][^:]*$/, called: 'a name without colons' }), {
    does: 'Name of the pool in the log and in metrics.',
    effect: full,
  })
  readonly poolName: string = 'pool-1';

  @Key(duration({ min: '0ms', max: '24d' }), {
    does:
      'Time after which a borrowed connection is reported as leaked, with the place that borrowed it; 0 disables ' +
      'the report.',
    effect: pooled,
  })
  readonly leakDetectionThreshold: Duration = Duration.ofMillis(0);

  /** Returns the configured values, which the pool adjusts. */
  asConfigured(): Partial<PoolSettings> {
    return withoutUndefined({
      name: this.poolName,
      maximumPoolSize: this.maximumPoolSize,
      minimumIdle: this.minimumIdle,
      connectionTimeout: this.connectionTimeout.milliseconds,
      idleTimeout: this.idleTimeout.milliseconds,
      maxLifetime: this.maxLifetime.milliseconds,
      validationTimeout: this.validationTimeout.milliseconds,
      leakDetectionThreshold: this.leakDetectionThreshold.milliseconds,
    });
  }

  adjustments(): readonly Adjustment[] {
    return adjustedSettings(this.asConfigured()).adjustments.map(({ property, value, reason }) => {
      const isNumber = property === 'maximumPoolSize' || property === 'minimumIdle';
      return { property, value: isNumber ? value : Duration.ofMillis(value), reason };
    });
  }
}
