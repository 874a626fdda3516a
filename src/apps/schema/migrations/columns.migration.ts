import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index to count locked accounts without reading all others. */
export class LockedAccounts1795305600000 implements MigrationInterface {
  readonly name = 'LockedAccounts1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX account_lock_level ON account (lock_level)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropAccountIndex(runner, 'account_lock_level');
  }
}

/**
 * The same index with the locked accounts only. SQLite writes the entry of an index anew for each update that names its column,
 * whether or not the value changes, and each login ends with `lock_level = 0`. A server writes no entry without a change.
 */
export class LockedAccountsAlone1796800000001 implements MigrationInterface {
  readonly name = 'LockedAccountsAlone1796800000001';

  async up(runner: QueryRunner): Promise<void> {
    await replaceLockIndex(runner, ' WHERE lock_level > 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceLockIndex(runner, '');
  }
}

async function replaceLockIndex(runner: QueryRunner, condition: string): Promise<void> {
  if (!isEmbedded(runner)) return;
  await dropAccountIndex(runner, 'account_lock_level');
  await runner.query(`CREATE INDEX account_lock_level ON account (lock_level)${condition}`);
}

/** A column for details that only one kind of security event has, such as the levels of a logger. */
export class ManagementEvents1795564811000 implements MigrationInterface {
  readonly name = 'ManagementEvents1795564811000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE security_event ADD COLUMN detail varchar(512) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE security_event DROP COLUMN detail');
  }
}

/** The kind of each password hash, which decides the cost of a check; the service later replaces 'new' by the kind. */
export class PasswordKinds1795564833000 implements MigrationInterface {
  readonly name = 'PasswordKinds1795564833000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE account ADD COLUMN password_kind varchar(64) NOT NULL DEFAULT 'new'");
    await runner.query('CREATE INDEX account_password_kind ON account (password_kind)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropAccountIndex(runner, 'account_password_kind');
    await runner.query('ALTER TABLE account DROP COLUMN password_kind');
  }
}

/**
 * Allows an unknown time of login, for identity providers that do not prove it. Existing staff sessions recorded an
 * unproven time, which is removed.
 */
export class UnprovenTimes1795564873000 implements MigrationInterface {
  readonly name = 'UnprovenTimes1795564873000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of AUTH_TIME_TABLES) await changeAuthTime(runner, table, 'NULL');
    await runner.query('UPDATE session SET auth_time = NULL WHERE idp IS NOT NULL');
    await runner.query("UPDATE session SET mfa_at = NULL WHERE mfa_method = 'idp'");
  }

  async down(runner: QueryRunner): Promise<void> {
    // 1970 is not a recent login for the previous version either.
    for (const table of AUTH_TIME_TABLES) {
      await runner.query(`UPDATE ${table} SET auth_time = 0 WHERE auth_time IS NULL`);
      await changeAuthTime(runner, table, 'NOT NULL');
    }
  }
}

const AUTH_TIME_TABLES = ['session', 'refresh_token'];

/**
 * A server changes the column in one statement, which can be repeated and does not disturb replicas of the previous
 * version. The embedded database cannot change a column, so a new one takes its name, in one transaction.
 */
async function changeAuthTime(runner: QueryRunner, table: string, nullable: 'NULL' | 'NOT NULL'): Promise<void> {
  if (!isEmbedded(runner)) {
    await runner.query(`ALTER TABLE ${table} MODIFY COLUMN auth_time bigint ${nullable}`);
    return;
  }
  const withDefault = nullable === 'NULL' ? 'NULL' : 'NOT NULL DEFAULT 0';
  await runner.query(`ALTER TABLE ${table} ADD COLUMN new_auth_time bigint ${withDefault}`);
  await runner.query(`UPDATE ${table} SET new_auth_time = auth_time`);
  await runner.query(`ALTER TABLE ${table} DROP COLUMN auth_time`);
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN new_auth_time TO auth_time`);
}

/** Temporary passwords, which expire at an instant in seconds since 1970. */
export class AccountAdministration1795651200037 implements MigrationInterface {
  readonly name = 'AccountAdministration1795651200037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN password_ends_at bigint NULL');
  }

  /** Removes temporary passwords with the column: without it they would never expire. */
  async down(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('account', 'password_ends_at'))) return;
    await runner.query(
      "UPDATE account SET password_hash = NULL, password_kind = 'new' WHERE password_ends_at IS NOT NULL",
    );
    await runner.query('ALTER TABLE account DROP COLUMN password_ends_at');
  }
}

/**
 * Counts the transactions that have locked the row without another change of it. On a Galera cluster, an UPDATE that changes
 * no value conflicts with nothing at another node.
 */
export class AccountHolds1795824000133 implements MigrationInterface {
  readonly name = 'AccountHolds1795824000133';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN holds bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN holds');
  }
}

/** The language that a user has chosen for pages and mails; NULL before the first choice. */
export class AccountLanguage1796000000001 implements MigrationInterface {
  readonly name = 'AccountLanguage1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN language varchar(8)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN language');
  }
}

/** An index that has all columns by which administrators search accounts, so that a search reads no other. */
export class AccountSearch1796000000301 implements MigrationInterface {
  readonly name = 'AccountSearch1796000000301';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX account_search ON account (login_id, email, status)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropAccountIndex(runner, 'account_search');
  }
}

/**
 * The mail address in the form by which users sign in. An older version does not write it: the address of an account that it has
 * changed signs nobody in until the next change.
 */
export class AccountAddresses1797000000182 implements MigrationInterface {
  readonly name = 'AccountAddresses1797000000182';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN email_key varchar(254) NULL');
    await runner.query('UPDATE account SET email_key = LOWER(email) WHERE email IS NOT NULL');
    await runner.query('CREATE INDEX account_email ON account (email_key)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropAccountIndex(runner, 'account_email');
    await runner.query('ALTER TABLE account DROP COLUMN email_key');
  }
}

/**
 * 1 for a refresh token whose value names its session, so that its use is noticed without its row. Those of older versions have 0:
 * their rows stay until they expire.
 */
export class NamedSessions1796900000704 implements MigrationInterface {
  readonly name = 'NamedSessions1796900000704';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refresh_token ADD COLUMN names_session int NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refresh_token DROP COLUMN names_session');
  }
}

/** Table, old name and new name. */
const RENAMED = [
  ['account', 'epoch', 'security_stamp'],
  ['account', 'lock_seen_at', 'clock_skew_at'],
  ['session', 'half_epoch', 'half_security_stamp'],
] as const;

/** Renames columns; their content stays. */
export class PlainNames1795737600000 implements MigrationInterface {
  readonly name = 'PlainNames1795737600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, before, after] of RENAMED) await rename(runner, table, before, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, before, after] of RENAMED) await rename(runner, table, after, before);
  }
}

/** A server commits each statement separately, so an interrupted run continues where it stopped. */
async function rename(runner: QueryRunner, table: string, from: string, to: string): Promise<void> {
  if (!(await runner.hasColumn(table, from))) return;
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
}

async function dropAccountIndex(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX ${name}${isEmbedded(runner) ? '' : ' ON account'}`);
}

export function isEmbedded(runner: QueryRunner): boolean {
  return runner.dataSource.options.type === 'better-sqlite3';
}
