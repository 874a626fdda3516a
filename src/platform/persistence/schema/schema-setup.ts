import type { DataSource } from 'typeorm';
import type { Configuration } from '../../../config/configuration.js';
import { problem } from '../../../config/problem.js';
import { ownCommand } from '../../../config/show/own-command.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { poolOf } from '../database.js';
import { LOCK_LIMIT_SECONDS } from '../migrations/exclusively.js';
import type { MigrationAccount } from '../migrations/migration-account.js';
import { MigrationState } from '../migrations/migration-state.js';
import { migrate } from '../migrations/migrations.js';
import { SchemaFailure } from '../migrations/schema-failure.js';
import { DatasourceProperties } from '../datasource.properties.js';
import { PersistenceProperties } from '../migrations/migration.properties.js';
import type { DdlAuto } from './ddl-auto.js';

/** True where a process works on what there is: it creates no tables and no keys, and rotates none. */
export const WORKS_ON_EXISTING_STATE = Symbol('works on existing state');

/** Runs the wait for another process that changes the tables. */
export abstract class StartupWait {
  /** Runs the wait, and returns its result. */
  abstract during<T>(wait: () => Promise<T>): Promise<T>;
}

/** How a process treats pending migrations. */
export interface SchemaMode {
  readonly migratesAtStart: boolean;
  /** True for a command that works on what exists; it runs no migration. */
  readonly worksOnExisting: boolean;
  /** Advice to run the migrations by a command, on the database of this process. */
  readonly migrateAdvice: () => string;
}

export function schemaModeOf(configuration: Configuration, worksOnExisting: boolean): SchemaMode {
  const { environment, registry } = configuration;
  const migrateAdvice = (): string =>
    `${ownCommand('migrate up', environment, registry)} (docs/how-to/deploy/upgrade-and-migrate.md)`;
  return { migratesAtStart: migratesAtStart(configuration), worksOnExisting, migrateAdvice };
}

/** A server in production is migrated by a step of the deployment, with an account that the service does not have. */
function migratesAtStart(configuration: Configuration): boolean {
  const { migrateAtStart } = configuration.get(PersistenceProperties);
  if (migrateAtStart !== undefined) return migrateAtStart;
  const isProduction = configuration.environment.profiles.active.includes('prod');
  return !isProduction || configuration.get(DatasourceProperties).url.startsWith('jdbc:sqlite:');
}

/** Brings the tables into the state that a startup needs, or prevents the startup. */
export class SchemaSetup {
  constructor(
    private readonly account: MigrationAccount,
    private readonly mode: SchemaMode,
    private readonly log: Logger,
    /** Undefined for commands, which never apply `app.jpa.orm.ddl-auto`. */
    private readonly ddlAuto?: DdlAuto,
    /** Undefined for commands, which nothing probes. */
    private readonly startupWait?: StartupWait,
  ) {}

  /** @throws SchemaFailure if the tables do not fit this version, or if migrations are pending and must not run now */
  async prepare(dataSource: DataSource): Promise<void> {
    const state = await MigrationState.read(dataSource);
    state.requireCompatible();
    const newer = logged(state.unknown.map(({ name }) => name));
    if (newer !== '') this.log.info('The tables are newer than this version, which may run on them', { newer });
    const { worksOnExisting, migratesAtStart, migrateAdvice } = this.mode;
    if (worksOnExisting) {
      if (state.pending.length > 0) throw pendingForCommand(state.pending, migrateAdvice());
    } else if (migratesAtStart) {
      if (state.isBehind) await this.migrate(dataSource, state);
    } else if (state.pending.length > 0) {
      throw pendingAtStart(state.pending, migrateAdvice());
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
    const guard = this.account.guardAgainstUse(dataSource);
    const ran = await this.account.change(dataSource, (own) => migrate(own, { guard, during }));
    // The first startup creates all tables, which is no news.
    if (ran.length > 0 && applied.length > 0) this.log.info('Migrated the tables', { migrations: logged(ran) });
  }
}

/** Without the times in the names: the log masks long words of letters and digits, since they may be secrets. */
function logged(names: readonly string[]): string {
  return names.map((name) => name.replace(/\d+$/, '')).join(', ');
}

function pendingAtStart(pending: readonly string[], advice: string): SchemaFailure {
  const facts = { Property: 'app.persistence.migrate-at-start', Value: 'false', Migrations: pending.join(', ') };
  const action = `${advice}, or set app.persistence.migrate-at-start=true.`;
  return new SchemaFailure(problem('Migrations are pending, and this startup does not run them', action, facts));
}

function pendingForCommand(pending: readonly string[], advice: string): SchemaFailure {
  const action = `Start the service of this version, which runs them as it is configured. Or: ${advice}.`;
  const facts = { Migrations: pending.join(', ') };
  return new SchemaFailure(problem('Migrations are pending, and this command does not run them', action, facts));
}
