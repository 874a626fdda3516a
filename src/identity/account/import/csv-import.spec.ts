import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { csvRows } from './csv-import.js';
import { ImportFileRejection, type ImportRow } from './import-row.js';

async function rowsOf(...pieces: readonly (string | Buffer)[]): Promise<readonly ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of csvRows(Readable.from(pieces.map((piece) => Buffer.from(piece))))) rows.push(row);
  return rows;
}

describe('the CSV reader', () => {
  it('returns the cells by the columns of the first line, in any order', async () => {
    const rows = await rowsOf(
      '\ufeffEmail,login_id ,roles\r\n',
      'a@example.org,anna,"ROLE_A,ROLE_B"\r\n\r\n,ber',
      'ta,\n',
    );

    expect(rows).toEqual([
      { line: 2, cells: { email: 'a@example.org', login_id: 'anna', roles: 'ROLE_A,ROLE_B' } },
      { line: 4, cells: { email: '', login_id: 'berta', roles: '' } },
    ]);
  });

  it('does not trim passwords', async () => {
    const [row] = await rowsOf('login_id,password\n', 'anna," with ""quotes"", blanks "\n');

    expect(row?.cells.password).toBe(' with "quotes", blanks ');
  });

  it.each([
    ['a column that is unknown', 'login_id,secret\nanna,x\n', /from: login_id, password_hash/],
    ['a column twice', 'login_id,email,email\n', /twice/],
    ['no login id', 'email,roles\n', /must name the column login_id/],
    ['more cells than columns', 'login_id,email\nanna\n', /^Line 2 has more or fewer cells/],
    ['a million columns', `login_id${','.repeat(1_000_000)}\n`, /from: login_id, password_hash/],
    ['UTF-16', Buffer.from('\ufefflogin_id\nanna\n', 'utf16le'), /UTF-8/],
    ['an open quote', 'login_id\n"anna\n', /quote/],
    ['a row without an end', `login_id\n${'x'.repeat(20_000)}\n`, /longer than/],
    ['another character set', Buffer.from('login_id\nj\xfcrgen\n', 'latin1'), /UTF-8/],
    ['the first half of a character at its end', Buffer.from('login_id\nj\xc3', 'latin1'), /UTF-8/],
    ['a NUL', 'login_id\nan\0na\n', /UTF-8 text: it contains a NUL/],
    ['no content', '', /empty/],
  ])('rejects a file with %s', async (_name, text, message) => {
    const failure: unknown = await rowsOf(text).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ImportFileRejection);
    expect((failure as Error).message).toMatch(message);
  });

  it('reports the line of a row with missing cells', async () => {
    const failure: unknown = await rowsOf('login_id,email\nanna,\nberta\n').catch((error: unknown) => error);

    expect(failure).toMatchObject({ line: 3 });
  });

  it('joins a character that is split between two chunks', async () => {
    const text = Buffer.from('login_id\njürgen\n');

    expect(await rowsOf(text.subarray(0, 11), text.subarray(11))).toEqual([{ line: 2, cells: { login_id: 'jürgen' } }]);
  });

  it('L1: does not repeat cells in the error about a broken file', async () => {
    const failure: unknown = await rowsOf('login_id,password\nanna,my-secret,one-more\n').catch(
      (error: unknown) => error,
    );

    expect((failure as Error).message).not.toMatch(/anna|secret|more$/);
  });

  it('rejects a file that does not exist', async () => {
    const missing = Readable.from(csvRows(createReadStream(join(import.meta.dirname, 'no-such-file.csv')))).toArray();

    await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
