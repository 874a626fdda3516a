import { expect, it } from 'vitest';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import {
  ending,
  enrolledUser,
  secondFactorParts,
  type SecondFactorParts,
  type TestUser,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const nothing = (): Promise<void> => Promise.resolve();

onEveryDatabase('the logger mfa at DEBUG', (database) => {
  const clock = new ManualClock();

  interface LoggedUser extends Omit<SecondFactorParts, 'backupCodes'>, TestUser {
    readonly prove: (code: string) => Promise<string>;
    /** The log messages since the user enrolled. */
    readonly messages: () => readonly string[];
  }

  async function loggedUser(): Promise<LoggedUser> {
    const log = new CollectedLog();
    log.loggers.setLevel('mfa', 'DEBUG');
    const user = await enrolledUser(database.work, secondFactorParts(database.work, clock), clock);
    const parts = secondFactorParts(database.work, clock, {
      loggers: log.loggers,
      properties: { trustedDeviceEnabled: true },
    });
    const prove = (code: string): Promise<string> =>
      ending(parts.secondFactors.prove({ subject: user.subject }, typedCode(code), nothing));
    const messages = (): readonly string[] =>
      log.texts.filter((text) => text.startsWith('DEBUG mfa')).map((text) => text.replace(/^.*\] |\n$/g, ''));
    return { ...parts, ...user, prove, messages };
  }

  it('logs the step offset of an accepted code and the reason for a rejected one', async () => {
    const { app, prove, messages, backupCodes } = await loggedUser();
    const code = app.codeAt(clock.seconds(), -1);
    await prove(code);
    await prove(code);
    await prove(app.wrongCodeAt(clock.seconds()));
    await prove(backupCodes[0] ?? '');

    expect(messages()).toEqual([
      'Code accepted method=totp factor=active offset=-1',
      'Code rejected method=totp factor=active reason=used_step failures=1 maxFailures=5',
      'Code rejected method=totp factor=active reason=wrong_code failures=2 maxFailures=5',
      'Code accepted method=backup_code factor=active',
    ]);
  });

  it('logs why a code is not checked, and for how long', async () => {
    const { app, prove, messages, subject, secondFactors } = await loggedUser();
    for (let at = 0; at < 5; at += 1) await prove(app.wrongCodeAt(clock.seconds()));
    clock.advance(60);

    await prove(app.codeAt(clock.seconds()));
    await ending(secondFactors.prove({ subject: 'nobody' }, typedCode('123456'), nothing));

    expect(messages().slice(5)).toEqual([
      'Code not verified reason=locked seconds=240 failures=5',
      'Code not verified reason=no_account',
    ]);
    expect(messages().join('\n')).not.toContain(subject);
  });

  it('logs whether a browser is trusted', async () => {
    const { devices, messages, subject } = await loggedUser();
    const { secret = '' } = (await database.work.run((tx) => devices.grant(tx, subject))) ?? {};

    for (const each of [secret, secret]) await database.work.run((tx) => devices.recognise(tx, subject, each));

    expect(messages()).toEqual([
      'The browser is trusted: no second step is required',
      'The browser is not trusted, or no longer',
    ]);
  });
});
