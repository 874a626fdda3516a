import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RuleProblem, RuleFacts } from '../../src/config/check/rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { mailCredentialsComplete, mailPasswordEncrypted } from '../../src/platform/mail/mail.rule.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const RELAY = '--app.mail.host=relay.example.com';
const LOCAL = '--app.mail.host=127.0.0.1';
const LOGIN = ['--app.mail.username=login', '--app.mail.password=secret'];

describe('the rules about mail', () => {
  const problemsOf = (
    rule: typeof mailPasswordEncrypted,
    profile: string,
    args: readonly string[],
  ): readonly RuleProblem[] => {
    const folder = temporaryFolder();
    // A profile exists when a file is named after it.
    writeFileSync(join(folder, `application-${profile}.yml`), '');
    const inputs = {
      args: [`--app.profiles.active=${profile}`, ...args],
      variables: {},
      workingFolder: folder,
      packageFolder: folder,
    };
    return rule.check(new RuleFacts(loadServiceConfiguration(inputs), inputs));
  };

  it.each([
    ['a username without a password', ['--app.mail.username=login'], 'app.mail.username', 'Set app.mail.password'],
    ['a password without a username', ['--app.mail.password=secret'], 'app.mail.password', 'Set app.mail.username'],
  ])('%s is reported in every profile', (_, args, key, action) => {
    for (const profile of ['dev', 'prod']) {
      const found = problemsOf(mailCredentialsComplete, profile, [RELAY, ...args]);
      expect(found).toMatchObject([{ severity: 'error', action: expect.stringContaining(action) as string }]);
      expect(JSON.stringify(found)).toContain(key);
      expect(JSON.stringify(found)).not.toContain('=secret');
    }
  });

  it.each([[[RELAY]], [[RELAY, ...LOGIN]], [[]]])('complete credentials are accepted: %j', (args) => {
    expect(problemsOf(mailCredentialsComplete, 'prod', args)).toEqual([]);
  });

  it('a password for a relay without encryption is reported in production only', () => {
    const args = [RELAY, ...LOGIN, '--app.mail.tls=none'];

    expect(problemsOf(mailPasswordEncrypted, 'prod', args)).toMatchObject([
      { what: 'The password of the mail relay would be sent without encryption' },
    ]);
    expect(problemsOf(mailPasswordEncrypted, 'dev', args)).toEqual([]);
  });

  it.each([
    ['STARTTLS by default', [RELAY, ...LOGIN]],
    ['implicit TLS', [RELAY, ...LOGIN, '--app.mail.tls=implicit']],
    ['a relay on this machine', [LOCAL, ...LOGIN, '--app.mail.tls=none']],
    ['no password', [RELAY, '--app.mail.tls=none']],
  ])('%s is accepted in production', (_, args) => {
    expect(problemsOf(mailPasswordEncrypted, 'prod', args)).toEqual([]);
  });
});
