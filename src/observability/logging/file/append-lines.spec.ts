import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { appendLinesNow } from './append-lines.js';

function fileWith(content: string): string {
  const file = join(temporaryFolder('append-lines'), 'service.log');
  writeFileSync(file, content);
  return file;
}

describe('appendLinesNow', () => {
  it.each([
    ['starts a new line after a line that a full disk cut off', 'whole\ntor', 'whole\ntor\none\ntwo\n'],
    ['appends directly after a complete line', 'whole\n', 'whole\none\ntwo\n'],
    ['writes the first lines of an empty file', '', 'one\ntwo\n'],
  ])('%s', (_title, before, expected) => {
    const file = fileWith(before);

    appendLinesNow({ file, day: '2026-11-21' }, ['one\n', 'two\n']);

    expect(readFileSync(file, 'utf8')).toBe(expected);
  });

  it('does not throw if the file cannot be opened', () => {
    const file = fileWith('');

    expect(() => appendLinesNow({ file: join(file, 'below'), day: '2026-11-21' }, ['one\n'])).not.toThrow();
  });
});
