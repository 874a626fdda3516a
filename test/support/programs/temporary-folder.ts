import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A fresh folder that disappears at the end of the run. */
export function temporaryFolder(name = 'test'): string {
  return mkdtempSync(join(inject('runFolder'), `${name}-`));
}
