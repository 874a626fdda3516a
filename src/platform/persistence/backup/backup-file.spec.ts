import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { TaskLeaseEntity } from '../task-lease.entity.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { type BackupHeader, FORMAT, FORMAT_VERSION } from './backup-format.js';
import { readBackup } from './backup-reader.js';
import { type BackupPlan, backupTable } from './backup-plan.js';
import { BackupWriter } from './backup-writer.js';

const folder = temporaryFolder('backup-file');
const KNOWN = ['First1', 'Second2'];
const HEADER: BackupHeader = {
  format: FORMAT,
  version: FORMAT_VERSION,
  created_at: '2026-11-25T00:00:00.000Z',
  migrations: KNOWN,
};
const PLAN: BackupPlan = {
  tables: [backupTable(TaskLeaseEntity, { restore: 'replaced' })],
  ended: [],
  guarded: { entity: TaskLeaseEntity, rejection: 'It has rows.' },
};
const ROWS = [
  ['https://idp.test/ä\n\u2028"', 'anna', 3, 1_800_000_000],
  ['', null, 0, 1],
];
const COLUMNS = ['task', 'holder', 'fence', 'expires_at'];
let files = 0;

async function written(header: object = HEADER): Promise<string> {
  const file = join(folder, `backup-${(files += 1)}`);
  const writer = await BackupWriter.create(file, new SystemRandom());
  await writer.header(header as BackupHeader);
  await writer.table('task_lease', COLUMNS);
  for (const row of ROWS) await writer.row('task_lease', row);
  expect(await writer.finish()).toEqual({ task_lease: 2 });
  return file;
}

/** The result of reading the bytes: their parts, or the message of the rejection. */
async function reading(bytes: Uint8Array | string): Promise<unknown> {
  const file = join(folder, `read-${(files += 1)}`);
  writeFileSync(file, bytes);
  return readingFile(file);
}

async function readingFile(file: string): Promise<unknown> {
  const parts: unknown[] = [];
  try {
    for await (const part of readBackup(file, PLAN, KNOWN)) parts.push(part);
    return parts;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a backup file', () => {
  it('is read as it was written', async () => {
    expect(await readingFile(await written())).toMatchObject([
      { kind: 'header', header: HEADER },
      ...ROWS.map((row) => ({
        kind: 'row',
        of: { table: 'task_lease' },
        row: Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])),
      })),
      { kind: 'end' },
    ]);
  });

  it('is readable for its owner only, and leaves no draft', async () => {
    const file = await written();

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('never replaces a file, not even one that appears while it is written', async () => {
    const file = await written();
    const before = readFileSync(file);
    await expect(BackupWriter.create(file, new SystemRandom())).rejects.toThrow('never replaces a file');
    const late = join(folder, 'late');
    const writer = await BackupWriter.create(late, new SystemRandom());
    await writer.header(HEADER);
    writeFileSync(late, 'of another process');

    await expect(writer.finish()).rejects.toThrow('never replaces a file');
    await writer.abandon();

    expect(readFileSync(file)).toEqual(before);
    expect(readFileSync(late, 'utf8')).toBe('of another process');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('has no name until it is complete', async () => {
    const file = join(folder, 'unfinished');
    const writer = await BackupWriter.create(file, new SystemRandom());
    await writer.header(HEADER);

    expect(existsSync(file)).toBe(false);
    await writer.abandon();
  });

  it('is rejected if it is cut at any byte', async () => {
    const bytes = readFileSync(await written());
    for (let length = 0; length < bytes.length; length += 1) {
      expect(await reading(bytes.subarray(0, length)), `${length} bytes`).toMatch(/damaged or incomplete|not a backup/);
    }
  });

  it('is rejected if any byte of it has changed', async () => {
    const bytes = readFileSync(await written());
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(place) ^ (1 << (place % 8)), place);
      expect(await reading(changed), `byte ${place}`).toMatch(/Nothing was changed\.$/);
    }
  });

  it('is rejected if a line is missing, doubled, appended or in another place', async () => {
    const lines = readFileSync(await written(), 'utf8')
      .trimEnd()
      .split('\n');
    for (const [index, line] of lines.entries()) {
      expect(await reading(lines.toSpliced(index, 1).join('\n') + '\n')).toMatch(/Nothing was changed\.$/);
      expect(await reading(lines.toSpliced(index, 0, line).join('\n') + '\n')).toMatch(/Nothing was changed\.$/);
      const swapped = lines.toSpliced(index, 2, lines[index + 1] ?? '', line);
      expect(await reading(swapped.join('\n') + '\n')).toMatch(/Nothing was changed\.$/);
    }
  });

  it.each([
    [
      'a newer format',
      { ...HEADER, version: FORMAT_VERSION + 1 },
      'newer than this version of the service: its format is 2',
    ],
    ['a newer schema', { ...HEADER, migrations: [...KNOWN, 'Third3'] }, 'it has the migration "Third3"'],
    ['another format', { ...HEADER, format: 'dump' }, 'not a backup of this service'],
    ['a time with control characters', { ...HEADER, created_at: '2026\u001b[2J' }, 'its header is incomplete'],
    ['an incomplete header', { format: FORMAT, version: 1 }, 'its header is incomplete'],
  ])('is rejected if it has %s', async (_, header, reason) => {
    expect(await readingFile(await written(header))).toContain(reason);
  });

  it.each([
    ['an empty file', ''],
    ['another text', 'INSERT INTO account\n'],
    ['a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000)])],
    ['a long text without line ends', 'x'.repeat(3_000_000)],
  ])('is rejected if it is %s', async (_, bytes) => {
    expect(await reading(bytes)).toMatch(/Nothing was changed\.$/);
  });

  it('is rejected if its end names no numbers of rows', async () => {
    const [header, table] = readFileSync(await written(), 'utf8').split('\n');
    const end = '{"rows":null,"sha256":"00"}';

    expect(await reading(`${header}\n${table}\n${end}\n`)).toMatch(/damaged or incomplete.*Nothing was changed\.$/);
  });

  it('is rejected if it cannot be read', async () => {
    expect(await readingFile(join(folder, 'missing'))).toBe('The file cannot be read (ENOENT).');
  });

  it.each([
    ['table', '{"table":"mysql.user","columns":["id"]}'],
    ['column', '{"table":"task_lease","columns":["id) VALUES (1); --"]}'],
  ])('puts no name of a %s into a statement that the service does not know', async (_, line) => {
    expect(await reading(`${JSON.stringify(HEADER)}\n${line}\n`)).toContain('unknown table or column');
  });
});
