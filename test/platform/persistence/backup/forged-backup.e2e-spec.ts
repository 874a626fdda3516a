import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { storyOn } from '../../../support/login/login-story.js';
import { commandOn, SEAL_ARGS } from '../../../support/programs/restored-service.js';
import { onSqlite } from '../../../support/database/story-database.js';

type Cell = string | number | null;
type Account = Record<string, Cell>;

/** Changes by an attacker who can compute a checksum, and the report about each. */
const FORGERIES: readonly (readonly [string, (rows: Account[]) => readonly Account[], readonly RegExp[]])[] = [
  [
    'a repeated row',
    (rows) => rows.flatMap((row) => [row, row]),
    [/line 4: account: repeated row/, /line 6: account: repeated row/],
  ],
  [
    'a repeated login id',
    (rows) => rows.map((row) => ({ ...row, login_id: 'anna' })),
    [/line 4: account: repeated login id/],
  ],
  [
    'unknown statuses',
    (rows) => rows.map((row) => ({ ...row, status: 'superuser' })),
    [/line 3: account: unknown status/, /line 4: /],
  ],
  [
    'an unknown kind',
    ([first = {}, ...rows]) => [{ ...first, kind: 'root' }, ...rows],
    [/line 3: account: unknown kind/],
  ],
  [
    'ROLE_ADMIN without is_admin, and the reverse',
    ([first = {}, second = {}, ...rows]) => [
      { ...first, roles: 'ROLE_A,ROLE_ADMIN', is_admin: 0 },
      { ...second, roles: '', is_admin: 1 },
      ...rows,
    ],
    [/line 3: account: ROLE_ADMIN without is_admin/, /line 4: account: is_admin without ROLE_ADMIN/],
  ],
];

onSqlite('X8: restore of a forged backup', (engine) => {
  const story = storyOn(engine, { people: 1, others: { boss: 'ROLE_ADMIN' }, args: SEAL_ARGS });
  let lines: readonly string[];

  beforeAll(async () => {
    const file = join(story.cwd, 'backup');
    await story.command('backup', file);
    lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  });

  /** The backup with other accounts, and the checksum of that. */
  const forged = (change: (rows: Account[]) => readonly Account[]): string => {
    const at = lines.findIndex((line) => line.startsWith('{"table":"account"'));
    const { columns } = JSON.parse(lines[at] ?? '') as { readonly columns: readonly string[] };
    const behind = lines.findIndex((line, index) => index > at && line.startsWith('{'));
    const accounts = lines
      .slice(at + 1, behind)
      .map((line) => JSON.parse(line) as readonly Cell[])
      .map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? null])));
    const rows = change(accounts);
    const written = rows.map((row) => JSON.stringify(columns.map((column) => row[column] ?? null)));
    const text = [...lines.slice(0, at + 1), ...written, ...lines.slice(behind, -1)]
      .map((line) => `${line}\n`)
      .join('');
    const end = JSON.parse(lines.at(-1) ?? '') as { readonly rows: object };
    const sha256 = createHash('sha256').update(text).digest('hex');
    const file = join(story.cwd, 'forged');
    writeFileSync(file, `${text}${JSON.stringify({ rows: { ...end.rows, account: rows.length }, sha256 })}\n`);
    return file;
  };

  it.each(FORGERIES)(
    'X8: a backup with %s is rejected, and the report names every such row',
    async (_, change, faults) => {
      const database = await engine.freshDatabase();

      const { exitCode, stdout, stderr } = await commandOn(story, database, 'restore', forged(change));

      expect(exitCode).toBe(1);
      expect(stderr).toContain('The file has rows that this service does not write');
      for (const fault of faults) expect(stdout + stderr).toMatch(fault);
      expect(stdout + stderr).not.toMatch(/superuser|\n\s+at /);
    },
  );

  it('an unchanged backup is restored', async () => {
    const database = await engine.freshDatabase();

    const { exitCode, stdout, stderr } = await commandOn(
      story,
      database,
      'restore',
      forged((rows) => rows),
    );

    expect(exitCode, stdout + stderr).toBe(0);
  });
});
