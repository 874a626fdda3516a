import { describe, expect, it } from 'vitest';
import { ConfigProperties, ProfilesProperties } from '../config/config.properties.js';
import { type ConfigurationInputs, loadConfiguration } from '../config/configuration.js';
import { type Finding, RuleFacts } from '../config/check/rule.js';
import { BackupCodeProperties } from './mfa.properties.js';
import { pepperedBackupCodes } from './mfa.rule.js';

const CLASSES = [ConfigProperties, ProfilesProperties, BackupCodeProperties];
/** Without the packaged files, whose profile asks for the pepper before any rule does. */
const PRODUCTION = { APP_PROFILES_ACTIVE: 'prod', APP_PROFILES_VALIDATE: 'false' };
const PEPPER = { APP_SECURITY_MFA_BACKUPCODE_PEPPER: 'a random text of thirty-two characters or more' };

function findings(variables: ConfigurationInputs['variables']): readonly Finding[] {
  const inputs = { args: [], variables, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  return pepperedBackupCodes.check(new RuleFacts(loadConfiguration(CLASSES, inputs), inputs));
}

describe('a pepper for backup codes', () => {
  it('is demanded in production by the rule "security"', () => {
    expect(pepperedBackupCodes.name).toBe('security');
    expect(findings(PRODUCTION)).toMatchObject([
      {
        severity: 'breach',
        facts: expect.arrayContaining([['Property', 'app.security.mfa.backup-code.pepper']]) as unknown,
      },
    ]);
  });

  it('in production is all that is demanded', () => {
    expect(findings({ ...PRODUCTION, ...PEPPER })).toEqual([]);
  });

  it('is not demanded elsewhere', () => {
    expect(findings({})).toEqual([]);
  });

  it('is refused where it is short', () => {
    expect(() => findings({ APP_SECURITY_MFA_BACKUPCODE_PEPPER: 'short' })).toThrow(
      'app.security.mfa.backup-code.pepper',
    );
  });
});
