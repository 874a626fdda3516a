import type { DataSource } from 'typeorm';
import { problem } from '../../config/problem.js';
import { ownCommand } from '../../config/show/own-command.js';
import type { StartupWait } from '../../health/startup-wait.js';
import type { Logger } from '../../logging/logger.js';
import { poolOf } from '../database.js';
import { LOCK_LIMIT_SECONDS } from '../migrations/exclusively.js';
import type { MigrationAccount } from '../migrations/migration-account.js';
import { MigrationState } from '../migrations/migration-state.js';
import { migrate } from '../migrations/migrations.js';
import { SchemaFailure } from '../migrations/schema-failure.js';
import type { DdlAuto } from './ddl-auto.js';

export interface SchemaSetupOptions {
  readonly account: MigrationAccount;
  readonly migratesAtStart: boolean;
  readonly log: Logger;
  /** Undefined for commands, which never apply `app.jpa.orm.ddl-auto`. */
  readonly ddlAuto?: DdlAuto;
  readonly worksOnExisting?: boolean;
  /** Undefined for commands, which nothing probes. */
  readonly startupWait?: StartupWait;
}

/** Brings the tables into the state that a startup needs, or prevents the startup. */
export class SchemaSetup {
  private readonly account: MigrationAccount;
  private readonly migratesAtStart: boolean;
  private readonly log: Logger;
  private readonly ddlAuto: DdlAuto | undefined;
  private readonly worksOnExisting: boolean;
  private readonly startupWait: StartupWait | undefined;

  constructor({ account, migratesAtStart, log, ddlAuto, worksOnExisting = false, startupWait }: SchemaSetupOptions) {
    this.account = account;
    this.migratesAtStart = migratesAtStart;
    this.log = log;
    this.ddlAuto = ddlAuto;
    this.worksOnExisting = worksOnExisting;
    this.startupWait = startupWait;
  }

  /** @throws SchemaFailure if the tables do not fit this version, or if migrations are pending and must not run now */
  async prepare(dataSource: DataSource): Promise<void> {
    const state = await MigrationState.read(dataSource);
    state.refuseIncompatible();
    const newer = logged(state.unknown.map(({ name }) => name));
    if (newer !== '') this.log.info('The tables are newer than this version, which may run on them', { newer });
    if (this.worksOnExisting) {
      if (state.pending.length > 0) throw pendingForCommand(state.pending);
    } else if (this.migratesAtStart) {
      if (state.isBehind) await this.migrate(dataSource, state);
    } else if (state.pending.length > 0) {
      throw pendingAtStart(state.pending);
    }
    await this.ddlAuto?.apply(dataSource, this.account);
  }

  /** For an orderly shutdown, when nothing uses the tables any more. */
  async tearDown(dataSource: DataSource): Promise<void> {
    await this.ddlAuto?.tearDown(dataSource, this.account);
  }

  private async migrate(dataSource: DataSource, { applied }: MigrationState): Promise<void> {
    const during = <T>(wait: () => Promise<T>): Promise<T> => {
      this.log.info('Another process changes the tables: startup waits for it', { limitSeconds: LOCK_LIMIT_SECONDS });
      return this.startupWait ? this.startupWait.during(wait) : wait();
    };
    // A process that waits has no other session, so that the process at work does not take it for one that uses the tables.
    poolOf(dataSource)?.evict(() => true);
    const refuse = this.account.refusesInUse(dataSource);
    const ran = await this.account.change(dataSource, (own) => migrate(own, { refuse, during }));
    // The first startup creates all tables, which is no news.
    if (ran.length > 0 && applied.length > 0) this.log.info('Migrated the tables', { migrations: logged(ran) });
  }
}

/** Without the times in the names: the log masks long words of letters and digits, since they may be secrets. */
function logged(names: readonly string[]): string {
  return names.map((name) => name.replace(/\d+$/, '')).join(', ');
}

function pendingAtStart(pending: readonly string[]): SchemaFailure {
  const facts = { Property: 'app.persistence.migrate-at-start', Value: 'false', Migrations: pending.join(', ') };
  const action = `${MIGRATE()}, or set app.persistence.migrate-at-start=true.`;
  return new SchemaFailure(problem('Migrations are pending, and this startup does not run them', action, facts));
}

function pendingForCommand(pending: readonly string[]): SchemaFailure {
  const action = `Start the service of this version, which runs them as it is configured. Or: ${MIGRATE()}.`;
  const facts = { Migrations: pending.join(', ') };
  return new SchemaFailure(problem('Migrations are pending, and this command does not run them', action, facts));
}

const MIGRATE = (): string =>
  `Run "${ownCommand('migrate up')}" with the variables and arguments of the service (docs/operations.md, "Migrations")`;
