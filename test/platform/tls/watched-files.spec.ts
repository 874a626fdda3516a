import { pbkdf2 } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { watchFiles } from '../../../src/platform/tls/watched-files.js';

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** Keeps the threads that read files busy for a while. */
function occupyThreads(): void {
  for (let job = 0; job < 16; job += 1) pbkdf2('password', 'salt', 100_000, 64, 'sha512', () => undefined);
}

/** A watched file, and how often its watcher was called back. */
function watched(content?: string): { readonly file: string; readonly calls: () => number } {
  const file = join(temporaryFolder('watched'), 'tls.crt');
  if (content !== undefined) writeFileSync(file, content);
  let calls = 0;
  occupyThreads();
  endings.push(watchFiles([file], () => (calls += 1)));
  return { file, calls: () => calls };
}

// On a busy machine, the watch reads the file for the first time after the change.
it.each<[string, string | undefined, (file: string) => void]>([
  ['a file that is rewritten', 'old', (file) => writeFileSync(file, 'new')],
  ['a file that is removed', 'old', (file) => rmSync(file)],
  ['a file that is created', undefined, (file) => writeFileSync(file, 'new')],
])('%s at the moment at which its watch begins is noticed', async (_, content, change) => {
  const { file, calls } = watched(content);

  change(file);

  await waitUntil('the change is noticed', () => calls() > 0);
  expect(calls()).toBe(1);
});
