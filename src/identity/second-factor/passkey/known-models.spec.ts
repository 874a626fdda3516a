import { expect, it } from 'vitest';
import { knownModelName } from './known-models.js';

it.each([
  ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'iCloud Keychain'],
  ['08987058-CADC-4B81-B6E1-30DE50DCBE96', 'Windows Hello'],
  ['d548826e-79b4-db40-a3d8-11116f7e8349', 'Bitwarden'],
])('U8: the AAGUID %s names the model %s', (aaguid, name) => {
  expect(knownModelName(aaguid)).toBe(name);
});

it.each(['00000000-0000-0000-0000-000000000000', '', 'constructor'])('U8: %j names no model', (aaguid) => {
  expect(knownModelName(aaguid)).toBeUndefined();
});
