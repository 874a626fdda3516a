import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { COLUMNS, ImportFileRejection, type ImportRow } from './import-row.js';
import { jsonLinesRows } from './json-lines-import.js';

async function rowsOf(...pieces: readonly (string | Buffer)[]): Promise<readonly ImportRow[]> {
  return Readable.from(jsonLinesRows(Readable.from(pieces.map((piece) => Buffer.from(piece))))).toArray() as Promise<
    ImportRow[]
  >;
}

const GOOD = '{"login_id":"anna"}\n';

describe('the JSON lines reader', () => {
  it('returns the members of each object as cells', async () => {
    const rows = await rowsOf(
      '{"login_id":"anna","roles":["ROLE_A","ROLE_B"]}\r\n\n \t\n{"email":null,"log',
      'in_id":"berta","password":" with \\"quotes\\" ","roles":"ROLE_A, ROLE_B"}',
    );

    expect(rows).toEqual([
      { line: 1, cells: { login_id: 'anna', roles: 'ROLE_A,ROLE_B' } },
      { line: 4, cells: { email: '', login_id: 'berta', password: ' with "quotes" ', roles: 'ROLE_A, ROLE_B' } },
    ]);
  });

  it.each([
    ['is no JSON', '{"login_id":"b"', '', 'format'],
    ['is a list', '["b"]', '', 'format'],
    ['is two objects', '{"login_id":"b"}{"login_id":"c"}', '', 'format'],
    ['names a member twice', '{"login_id":"b","login_id":"c"}', '', 'format'],
    ['names the prototype', '{"login_id":"b","__proto__":{}}', '', 'format'],
    ['holds half a surrogate pair', '{"login_id":"\\ud800"}', '', 'format'],
    ['holds a NUL', '{"login_id":"\\u0000"}', '', 'format'],
    ['is not UTF-8', Buffer.from('{"login_id":"\xff"}', 'latin1'), '', 'format'],
    ['nests forty thousand levels deep', '['.repeat(10_000), '', 'format'],
    ['is longer than a row may be', `{"login_id":"${'x'.repeat(16_384)}"}`, '', 'too_long'],
    ['has an unknown member', '{"login_id":"b","secret":"x"}', '', 'unknown'],
    ['has a number for a text', '{"login_id":5}', 'login_id', 'type'],
    ['has an object for roles', '{"login_id":"b","roles":{}}', 'roles', 'type'],
    ['has a number among the roles', '{"login_id":"b","roles":["ROLE_A",5]}', 'roles', 'type'],
    ['hides two roles in one', '{"login_id":"b","roles":["ROLE_A,ROLE_B"]}', 'roles', 'type'],
  ])('H5: reports a problem of a line that %s, and reads the next line', async (_, line, field, code) => {
    const rows = await rowsOf(GOOD, line, '\n', GOOD);

    expect(rows.map((row) => [row.line, row.problems])).toEqual([
      [1, undefined],
      [2, [{ field, code }]],
      [3, undefined],
    ]);
  });

  it('A5: reads a file that begins with a byte order mark', async () => {
    const rows = await rowsOf('\ufeff{"login_id":"b"}\n');

    expect(rows.map((row) => [row.cells.login_id, row.problems])).toEqual([['b', undefined]]);
  });

  it('accepts a line of the maximum length', async () => {
    const line = `{"login_id":"${'x'.repeat(16_384 - 15)}"}`;

    const [row] = await rowsOf(line);

    expect(line).toHaveLength(16_384);
    expect(row?.problems).toBeUndefined();
  });

  it.each([
    ['is empty', '', 'The file is empty.', undefined],
    ['has blank lines only', ' \n\r\n', 'The file is empty.', undefined],
    ['is a CSV', 'login_id,password\nanna,secret\n', 'Line 1 is not a JSON object.', 1],
    ['is one line without an end', 'x'.repeat(20_000), 'Line 1 is not a JSON object.', 1],
    ['is a picture', Buffer.from('\n\x89PNG\r\n\x1a\n', 'latin1'), 'Line 2 is not a JSON object.', 2],
  ])('rejects a file that %s', async (_, file, message, line) => {
    const failure: unknown = await rowsOf(file).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ImportFileRejection);
    expect(failure).toMatchObject({ message, line });
  });

  it('returns the written rows however the file is cut into pieces', async () => {
    const cells = fc.dictionary(fc.constantFrom(...COLUMNS), fc.string({ unit: 'grapheme', maxLength: 20 }), {
      noNullPrototype: true,
      minKeys: 1,
    });
    const files = fc.tuple(
      fc.array(cells, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\n\n'),
      fc.array(fc.nat(400), { maxLength: 5 }),
    );

    await fc.assert(
      fc.asyncProperty(files, async ([written, end, cuts]) => {
        fc.pre(written.every((row) => Object.values(row).every((cell) => cell.isWellFormed() && !cell.includes('\0'))));
        const file = Buffer.from(written.map((row) => JSON.stringify(row) + end).join(''));
        const at = [0, ...cuts.toSorted((one, other) => one - other), file.length];
        const pieces = at.slice(1).map((until, index) => file.subarray(at[index], until));

        const rows = await rowsOf(...pieces);

        expect(rows.map((row) => ({ ...row.cells }))).toEqual(written);
        expect(rows.map(({ line }) => line)).toEqual(written.map((_, index) => 1 + index * (end === '\n\n' ? 2 : 1)));
      }),
    );
  });

  it('H1: continues after the first row, whatever bytes follow', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const rows = await rowsOf(GOOD, Buffer.from(bytes));

        expect(rows[0]).toEqual({ line: 1, cells: { login_id: 'anna' } });
      }),
    );
  });
});
