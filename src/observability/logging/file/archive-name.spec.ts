import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../../config/problem.js';
import { ArchiveNames, archivePattern } from './archive-name.js';

describe('archive names', () => {
  it.each([
    ['/var/log/a.log.%d{yyyy-MM-dd}.%i.gz', '/var/log/a.log.2026-11-21.3'],
    ['a.log.%d.%i.gz', 'a.log.2026-11-21.3'],
    ['old/%d{dd.MM.yyyy}_%i.log', 'old/21.11.2026_3.log'],
    ['%i%d{yyyyMMdd}+(1).gz', '320261121+(1)'],
  ])('%s builds a name and parses it again', (pattern, path) => {
    const names = new ArchiveNames(pattern);
    const file = path.split('/').at(-1) ?? '';

    expect(archivePattern.parse(pattern)).toBe(pattern);
    expect(names.plainPath('2026-11-21', 3)).toBe(path);
    expect(names.read(file)).toEqual({ day: '2026-11-21', index: 3, state: 'plain' });
  });

  it('recognises compressed and unfinished archives only if the pattern ends with .gz', () => {
    const packing = new ArchiveNames('a.%d.%i.gz');
    const uncompressed = new ArchiveNames('a.%d.%i');

    expect(packing.read('a.2026-11-21.0.gz')?.state).toBe('compressed');
    expect(packing.read('a.2026-11-21.0.gz.tmp')?.state).toBe('unfinished');
    expect(uncompressed.read('a.2026-11-21.0.gz')).toBeUndefined();
  });

  it.each(['b.2026-11-21.0.gz', 'a.2026-11-21.0.gz.bak', 'a.2026-11-21.gz', 'a.2026-11-21.x.gz', 'aa2026-11-21.0'])(
    'does not recognise %s as an archive of a.%%d.%%i.gz',
    (name) => {
      expect(new ArchiveNames('a.%d.%i.gz').read(name)).toBeUndefined();
    },
  );

  it.each([
    ['a.log.gz', 'it must contain the day, %d or %d{yyyy-MM-dd}, exactly once'],
    ['a.%d.gz', 'it must contain %i, the number of the file within its day, exactly once'],
    ['a.%d.%d.%i.gz', 'it must contain the day, %d or %d{yyyy-MM-dd}, exactly once'],
    ['a.%d{yyyy-MM-dd_HH}.%i.gz', 'a date must contain yyyy, MM and dd, each once, because every day has its own file'],
    ['a.%d{yyyy-MM}.%i.gz', 'a date must contain yyyy, MM and dd, each once, because every day has its own file'],
    ['a.%d.%i.%p.gz', '%p is not one of %d and %i'],
    ['%d{yyyy-MM-dd}/a.%i.gz', '%d and %i are allowed only in the name of the file, not in that of its folder'],
    [
      'a.%d.%i.zip',
      'files are compressed with gzip only: end the name with .gz, or with another ending for uncompressed files',
    ],
  ])('rejects the pattern %s', (pattern, reason) => {
    expect(archivePattern.parse(pattern)).toEqual(new ConversionProblem(reason));
  });
});
