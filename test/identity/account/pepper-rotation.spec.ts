import { expect, it } from 'vitest';
import { MissingPeppers } from '../../../src/identity/second-factor/backup-code/missing-peppers.task.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import {
  ending,
  endings,
  enrolledUser,
  type PartsOptions,
  secondFactorParts,
  type SecondFactorParts,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const OLD = 'the old pepper of a test, long enough for it';
const NEXT = 'the next pepper of a test, long enough for it';
const nothing = (): Promise<void> => Promise.resolve();
const KEY = 'app.security.mfa.backup-code.pepper';

onEveryDatabase('rotation of the pepper', (database) => {
  const clock = new ManualClock();
  const parts = (options: PartsOptions): SecondFactorParts => secondFactorParts(database.work, clock, options);
  const before = { pepper: OLD };
  const added = { pepper: OLD, peppers: { k2: NEXT } };
  const activated = { ...added, activePepperId: 'k2' };
  const removed = { peppers: { k2: NEXT } };
  const prove = (options: PartsOptions, subject: string, code = ''): Promise<string> =>
    ending(parts(options).secondFactors.prove({ subject }, typedCode(code), nothing));
  const enrolled = (options: PartsOptions): ReturnType<typeof enrolledUser> =>
    enrolledUser(database.work, parts(options), clock);
  const rows = (subject: string): Promise<readonly { pepper: string | null }[]> =>
    database.work.single((tx) => tx.rows('SELECT DISTINCT pepper FROM backup_code WHERE user_id = ?', [subject]));

  it('rows name the id of the active pepper, and the pepper without an id stays active until another one is', async () => {
    const [first, second, third] = [await enrolled(before), await enrolled(added), await enrolled(activated)];

    expect(await rows(first.subject)).toEqual([{ pepper: null }]);
    expect(await rows(second.subject)).toEqual([{ pepper: null }]);
    expect(await rows(third.subject)).toEqual([{ pepper: 'k2' }]);
  });

  it('codes of the old and of the new pepper are accepted by every replica during the rotation', async () => {
    const [first, second] = [await enrolled(before), await enrolled(activated)];

    expect(await prove(added, first.subject, first.backupCodes[0])).toBe('ok');
    expect(await prove(activated, first.subject, first.backupCodes[1])).toBe('ok');
    expect(await prove(added, second.subject, second.backupCodes[0])).toBe('ok');
    expect(await prove(activated, second.subject, second.backupCodes[1])).toBe('ok');
  });

  it('codes of a removed pepper are rejected, and are accepted again when it is put back', async () => {
    const [first, second] = [await enrolled(before), await enrolled(activated)];

    expect(await prove(removed, first.subject, first.backupCodes[0])).toBe('MFA_CODE_INVALID');
    expect(await prove(removed, second.subject, second.backupCodes[0])).toBe('ok');
    expect(await prove(before, second.subject, second.backupCodes[1])).toBe('MFA_CODE_INVALID');
    expect(await prove(activated, first.subject, first.backupCodes[0])).toBe('ok');
  });

  it('a code is rejected under the same secret with another id, so that the reported missing peppers are true', async () => {
    const { subject, backupCodes } = await enrolled(before);

    expect(await prove({ peppers: { k1: OLD } }, subject, backupCodes[0])).toBe('MFA_CODE_INVALID');
  });

  it('T13: every code works exactly once under parallel attempts of replicas before, in and after the rotation', async () => {
    const people = [await enrolled(before), await enrolled(activated)];
    // The failures of one account are limited, so each code is sent to it by four callers at once.
    const stages = [added, activated, added, activated];
    for (const { subject, backupCodes } of people) {
      for (const code of backupCodes) {
        const replicas = stages.map((options) => parts(options));
        const ends = await endings(
          replicas.map(
            ({ secondFactors }) =>
              () =>
                secondFactors.prove({ subject }, typedCode(code), nothing),
          ),
        );
        expect(ends).toEqual({ ok: 1, MFA_CODE_INVALID: 3 });
        await database.work.single((tx) =>
          tx.change('UPDATE account SET failures = 0, failures_in_row = 0 WHERE id = ?', [subject]),
        );
      }
      expect(await rows(subject)).toEqual([]);
    }
  });

  it('counts the accounts of each pepper, and warns at startup about the missing ones', async () => {
    await database.work.single((tx) => tx.change('DELETE FROM backup_code'));
    const plain = await enrolled({});
    // More rows than one slice has.
    for (let person = 0; person < 55; person += 1) await enrolled(before);
    // One after the other: each of them moves the clock.
    await enrolled(activated);
    await enrolled(activated);
    const mixed = await enrolled(before);
    await database.work.single((tx) =>
      tx.change('UPDATE backup_code SET user_id = ? WHERE user_id = ?', [mixed.subject, plain.subject]),
    );
    const log = new CollectedLog();
    const { pepperUses } = parts(removed);

    expect(await parts(activated).pepperUses.count()).toEqual([
      { key: KEY, state: 'configured', accounts: 56 },
      { key: `${KEY}s.k2`, state: 'active', accounts: 2 },
      { key: undefined, state: 'configured', accounts: 1 },
    ]);
    await new MissingPeppers(pepperUses, new ScheduledTasks(clock), log.loggers).report();

    expect(log.messages).toEqual(['WARN Backup codes are rejected because their pepper is not configured']);
    expect(log.lines[0]?.fields).toEqual({ missing: KEY, accounts: 56 });
  });

  it('says nothing at startup if every pepper is configured', async () => {
    const log = new CollectedLog();

    await new MissingPeppers(parts(activated).pepperUses, new ScheduledTasks(clock), log.loggers).report();

    expect(log.lines).toEqual([]);
  });
});
