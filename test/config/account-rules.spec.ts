import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { strongPasswordHashes } from '../../src/identity/account/password/password-hash.rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { type RuleProblem, RuleFacts } from '../../src/config/check/rule.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const PREFIX = '--app.security.password.hash';

describe('the rule about the cost of password hashes', () => {
  const problemsOf = (profile: string, ...args: readonly string[]): readonly RuleProblem[] => {
    const folder = temporaryFolder();
    // A profile exists when a file is named after it.
    writeFileSync(join(folder, `application-${profile}.yml`), '');
    const inputs = {
      args: [`--app.profiles.active=${profile}`, ...args],
      variables: {},
      workingFolder: folder,
      packageFolder: folder,
    };
    return strongPasswordHashes.check(new RuleFacts(loadServiceConfiguration(inputs), inputs));
  };

  it.each([
    [[]],
    [[`${PREFIX}.memory=46MB`, `${PREFIX}.iterations=1`]],
    [[`${PREFIX}.memory=12MB`, `${PREFIX}.iterations=3`]],
    [[`${PREFIX}.memory=7MB`, `${PREFIX}.iterations=5`]],
    [[`${PREFIX}.memory=64MB`, `${PREFIX}.iterations=3`]],
  ])('accepts the cost in production: %j', (args) => {
    expect(problemsOf('prod', ...args)).toEqual([]);
  });

  it.each([
    [[`${PREFIX}.memory=18MB`]],
    [[`${PREFIX}.iterations=1`]],
    [[`${PREFIX}.memory=6MB`, `${PREFIX}.iterations=8`]],
    [[`${PREFIX}.memory=128KB`, `${PREFIX}.iterations=1`]],
  ])('rejects the cost in production but not in other profiles: %j', (args) => {
    expect(strongPasswordHashes.name).toBe('security');
    expect(problemsOf('prod', ...args)).toMatchObject([{ severity: 'breach' }]);
    expect(problemsOf('dev', ...args)).toEqual([]);
  });
});
