import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../../config/config.properties.js';
import { type ConfigurationInputs, configurationOf, readConfiguration } from '../../config/configuration.js';
import { type RuleProblem, RuleFacts } from '../../config/check/rule.js';
import { BackupCodeProperties } from './backup-code/backup-code.properties.js';
import { pepperedBackupCodes } from './mfa.rule.js';

const CLASSES = [ConfigProperties, ProfilesProperties, BackupCodeProperties];
/** Without the packaged files, whose profile requires the pepper before any rule runs. */
const PRODUCTION = { APP_PROFILES_ACTIVE: 'prod', APP_PROFILES_VALIDATE: 'false' };
const PEPPER = { APP_SECURITY_MFA_BACKUPCODE_PEPPER: 'a random text of thirty-two characters or more' };

function inputsOf(variables: ConfigurationInputs['variables']): ConfigurationInputs {
  return { args: [], variables, workingFolder: '/nowhere', packageFolder: '/nowhere' };
}

function problems(variables: ConfigurationInputs['variables']): readonly RuleProblem[] {
  const inputs = inputsOf(variables);
  return pepperedBackupCodes.check(new RuleFacts(configurationOf(readConfiguration(CLASSES, inputs)), inputs));
}

describe('the rule for the pepper of backup codes', () => {
  it('belongs to "security" and reports a missing pepper in production', () => {
    expect(pepperedBackupCodes.name).toBe('security');
    expect(problems(PRODUCTION)).toMatchObject([
      {
        severity: 'breach',
        facts: expect.arrayContaining([['Property', 'app.security.mfa.backup-code.pepper']]) as unknown,
      },
    ]);
  });

  it('reports nothing in production with a pepper', () => {
    expect(problems({ ...PRODUCTION, ...PEPPER })).toEqual([]);
  });

  it('reports nothing without profile prod', () => {
    expect(problems({})).toEqual([]);
  });

  it('never runs with a pepper that is too short, because the key is rejected before', () => {
    const reading = readConfiguration(CLASSES, inputsOf({ APP_SECURITY_MFA_BACKUPCODE_PEPPER: 'short' }));

    expect(reading.problems.map(({ what }) => what)).toEqual([
      'The value of app.security.mfa.backup-code.pepper cannot be used',
    ]);
  });
});
