import { Loggers } from '../logging/loggers.js';
import { Meters } from '../metrics/meters.js';
import { DatabaseTrouble } from './engines/retry-log.js';
import { PoolMeters } from './pool/pool-meters.js';
import { StatementLog } from './statement-log.js';

/** What operators may see of the work with the database. */
export class DatabaseWatch {
  readonly pool: PoolMeters;
  readonly statements: StatementLog;
  readonly trouble: DatabaseTrouble;

  constructor(meters = new Meters(), loggers = new Loggers(), poolName = 'pool-1') {
    this.pool = new PoolMeters(meters, poolName);
    this.statements = new StatementLog(loggers.get('orm.sql'));
    this.trouble = new DatabaseTrouble(loggers.get('persistence'), poolName);
  }
}
