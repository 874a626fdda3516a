import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('clock.ts', import.meta.url));

// The zone of a process is fixed when it starts.
it.each([
  ['UTC', true],
  ['Etc/GMT', true],
  ['Nonsense', true],
  ['Europe/London', false],
  ['Europe/Berlin', false],
  ['America/New_York', false],
  ['Pacific/Auckland', false],
])('with TZ=%s local time is UTC: %s', (zone, expected) => {
  const script = `import { isLocalTimeUtc } from ${JSON.stringify(MODULE)}; console.log(isLocalTimeUtc());`;
  const args = ['--input-type=module', '--eval', script];

  const output = execFileSync(process.execPath, args, { env: { TZ: zone }, encoding: 'utf8' });

  expect(output.trim()).toBe(String(expected));
});
