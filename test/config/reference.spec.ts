import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationReference } from '../../src/cli/configuration-reference.js';
import { KeyRegistry } from '../../src/config/key-registry.js';
import { PROPERTIES } from '../../src/properties.js';

const PAGE = new URL('../../docs/configuration.md', import.meta.url);

it('docs/configuration.md says what the registry says; npm run docs writes it anew', () => {
  const page = readFileSync(PAGE, 'utf8');

  expect(page.trimEnd()).toBe(configurationReference(new KeyRegistry(PROPERTIES)).trimEnd());
});
