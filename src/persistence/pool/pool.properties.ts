import { Duration } from '../../config/bind/duration.js';
import { acceptedOnly, full, near, notYet } from '../../config/bind/effect.js';
import { duration, integer, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

const pooled = notYet('F', 'Accepted only on the embedded database, which has one connection.');
const byHealth = acceptedOnly('asked by the health of the database; connections are lent without it in this version.');

/** Values the pool will replace by safer ones (e.g. a wait below 250 ms) are taken as written; what counts is shown. */
@Properties('app.datasource.pool')
export class PoolProperties {
  @Key(integer({ min: 1 }), {
    does:
      'Connections to the database at most; instances times this number must stay below the limit of the server, and ' +
      'twice its cores is a good start.',
    effect: pooled,
  })
  readonly maximumPoolSize: number = 10;

  @Key(integer({ min: 0 }), {
    does: 'Connections kept open while nothing is to do.',
    effect: pooled,
    defaultText: 'same as maximum-pool-size',
  })
  readonly minimumIdle?: number;

  @Key(duration({ min: '0ms' }), {
    does:
      'Longest time in which a request waits for the database server: for a free connection and its first answer ' +
      'together, then for each answer. Beyond it the request fails with 503 and the connection is closed. It also limits ' +
      'how long a connection takes to open; 0 sets no limit.',
    effect: near(
      'statements of tasks and commands have 60 s; socketTimeout and connectTimeout in app.datasource.url replace the ' +
        'limits for answers and for opening; nothing waits on the embedded database.',
    ),
  })
  readonly connectionTimeout: Duration = Duration.ofMillis(30_000);

  @Key(duration({ min: '0ms' }), {
    does:
      'Unused time after which a connection above minimum-idle is closed; 0 keeps it; without effect while both ' +
      'sizes are equal.',
    effect: pooled,
  })
  readonly idleTimeout: Duration = Duration.ofMillis(600_000);

  @Key(duration({ min: '0ms' }), {
    does:
      'Age at which a connection is replaced; keep it below the idle cut-off of database and firewall; 0 sets no ' +
      'limit.',
    effect: pooled,
  })
  readonly maxLifetime: Duration = Duration.ofMillis(1_800_000);

  @Key(duration({ min: '0ms' }), {
    does: 'Longest wait for the check that a connection is alive; keep it below connection-timeout.',
    effect: byHealth,
  })
  readonly validationTimeout: Duration = Duration.ofMillis(5000);

  @Key(text(), {
    does: 'Query that checks whether a connection is alive; on the embedded database a final FROM DUAL is dropped.',
    effect: byHealth,
    defaultText: 'none: the ping of the database protocol',
  })
  readonly connectionTestQuery?: string;

  @Key(text({ form: /^[^:\s][^:]*$/, called: 'a name without colons' }), {
    does: 'Name of the pool in the log and in metrics.',
    effect: full,
  })
  readonly poolName: string = 'pool-1';

  @Key(duration({ min: '0ms' }), {
    does: 'Time after which a borrowed connection is reported as leaked, with the place that borrowed it; 0 is off.',
    effect: pooled,
  })
  readonly leakDetectionThreshold: Duration = Duration.ofMillis(0);
}
