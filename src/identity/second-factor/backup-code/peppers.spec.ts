import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../../../config/config.properties.js';
import { readConfiguration } from '../../../config/configuration.js';
import { BackupCodeProperties } from './backup-code.properties.js';

const PREFIX = 'app.security.mfa.backup-code';
const OLD = 'the old pepper of thirty-two characters or more';
const NEXT = 'the next pepper of thirty-two characters or more';
const THIRD = 'a third pepper of thirty-two characters or more';

function read(keys: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
  const args = Object.entries(keys).map(([key, value]) => `--${PREFIX}.${key}=${value}`);
  const inputs = { args, variables, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const { problems, instances } = readConfiguration(
    [ConfigProperties, ProfilesProperties, BackupCodeProperties],
    inputs,
  );
  const properties = instances.get(BackupCodeProperties) as BackupCodeProperties | undefined;
  return { problems: problems.map(({ facts }) => facts.map(([, text]) => text).join(' ')), properties };
}

const old = { id: null, secret: OLD };
const next = { id: 'k2', secret: NEXT };

describe('the peppers of backup codes', () => {
  it.each([
    ['none without keys', {}, [], undefined],
    ['that of the key pepper alone', { pepper: OLD }, [old], old],
    ['the only one of peppers', { 'peppers.k2': NEXT }, [next], next],
    [
      'both, and the key pepper stays active until another one is',
      { pepper: OLD, 'peppers.k2': NEXT },
      [old, next],
      old,
    ],
    ['both with the activated one', { pepper: OLD, 'peppers.k2': NEXT, 'active-pepper-id': 'K-2' }, [old, next], next],
    ['the remaining one after the old one was emptied', { pepper: '', 'peppers.k2': NEXT }, [next], next],
    ['not those with an empty text', { pepper: OLD, 'peppers.k2': '' }, [old], old],
  ])('are %s', (_, keys: Readonly<Record<string, string>>, all, active) => {
    const { problems, properties } = read(keys);

    expect(problems).toEqual([]);
    expect(properties?.all).toEqual(all);
    expect(properties?.active).toEqual(active);
  });

  it('can come from environment variables under the same id', () => {
    const { properties } = read({ 'active-pepper-id': 'k-2' }, { APP_SECURITY_MFA_BACKUPCODE_PEPPERS_K_2: NEXT });

    expect(properties?.active).toEqual(next);
  });

  it.each([
    ['an active id that is missing', { 'peppers.k2': NEXT, 'active-pepper-id': 'k3' }, 'no pepper of that id'],
    ['an active id without any pepper', { pepper: OLD, 'active-pepper-id': 'k2' }, 'no pepper of that id'],
    ['an active pepper that is empty', { 'peppers.k2': '', 'active-pepper-id': 'k2' }, 'peppers.k2 is empty'],
    ['several peppers and none active', { 'peppers.k2': NEXT, 'peppers.k3': THIRD }, 'set the active one'],
    ['two ids with the same canonical form', { pepper: OLD, 'peppers.k2': NEXT, 'peppers.k.2': THIRD }, 'alone'],
    ['a pepper that is too short', { 'peppers.k2': 'short' }, 'at least 32 characters'],
    ['an empty pepper without another one', { pepper: '' }, 'at least 32 characters'],
  ])('cannot be %s', (_, keys: Readonly<Record<string, string>>, reason) => {
    const { problems } = read(keys);

    expect(problems.join('\n')).toContain(reason);
    for (const secret of [OLD, NEXT, THIRD, 'short']) expect(problems.join('\n')).not.toContain(secret);
  });
});
