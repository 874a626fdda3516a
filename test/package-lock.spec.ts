import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Production dependencies of packages that are also development dependencies here: types of mysql2, the validator of Fastify,
 * and the parser of node-saml, with which tests compare the service's own reader.
 */
const ALLOWED = ['@types/node', 'ajv', 'sax'];

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

it('package-lock.json names no registry', () => {
  expect(namesWhere(({ resolved }) => resolved !== undefined)).toEqual([]);
});

// `npm ci --omit=dev` installs a development tool that a dependency names as an optional peer, as valibot names the
// compiler (24 MB). The lock file leaves that peer out; see docs/contributing/data-and-events.md.
it('a production install contains no development tool', () => {
  const tools = Object.keys(lock.packages['']?.devDependencies ?? {});
  const installed = tools.filter((name) => lock.packages[`node_modules/${name}`]?.dev !== true);

  expect(installed).toEqual(ALLOWED);
  expect(namesWhere(({ devOptional }) => devOptional === true)).toEqual([]);
});

// Earlier versions have flaws in signature checks: CVE-2025-54369 and -54419, CVE-2025-29774 and -29775.
it.each([
  ['@node-saml/node-saml', '5.1.0'],
  ['xml-crypto', '6.1.2'],
])('X1, X4: every copy of %s has version %s or later', (name, floor) => {
  const copies = Object.entries(lock.packages).filter(([path]) => path.endsWith(`node_modules/${name}`));

  expect(copies).not.toEqual([]);
  for (const [, { version = '' }] of copies) {
    expect(floor.localeCompare(version, 'en', { numeric: true }), version).toBeLessThanOrEqual(0);
  }
});

function namesWhere(holds: (locked: Locked) => boolean): readonly string[] {
  return Object.entries(lock.packages).flatMap(([name, locked]) => (holds(locked) ? [name] : []));
}
