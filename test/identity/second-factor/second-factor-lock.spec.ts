import { expect, it } from 'vitest';
import { type FailureCounter, lockOf } from '../../../src/identity/second-factor/attempts/attempt.js';
import { MfaProperties } from '../../../src/identity/second-factor/mfa.properties.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { fc } from '../../support/runner/property.js';
import { enrolledUser, secondFactorParts } from '../../support/login/second-factor-parts.js';

const NOW = 1_900_000_000;
const SET = `UPDATE account SET failures = ?, failures_in_row = ?, lock_level = ?, last_attempt_at = ?, clock_skew_at = ?
  WHERE id = ?`;

/** Instants around every boundary: the present, clock skew and the lengths of all locks. */
const instant = fc
  .tuple(fc.constantFrom(0, 60, 300, 600, 1200, 2400, 3600), fc.integer({ min: -2, max: 2 }), fc.constantFrom(-1, 1))
  .map(([distance, edge, side]) => NOW + side * distance + edge);

const counter: fc.Arbitrary<FailureCounter> = fc.record({
  failures: fc.integer({ min: 0, max: 5 }),
  failuresInRow: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(99, 100, 101)),
  lockLevel: fc.integer({ min: 0, max: 8 }),
  lastAttemptAt: instant,
  clockSkewAt: fc.option(instant),
});

onEveryDatabase('the account lock', (database) => {
  it('the SQL statements and lockOf decide alike whether an account is locked', async () => {
    const clock = new ManualClock();
    const parts = secondFactorParts(database.work, clock);
    const { subject } = await enrolledUser(database.work, parts, clock);
    const { lockoutSchedule } = new MfaProperties();

    await fc.assert(
      fc.asyncProperty(counter, async (given) => {
        const { failures, failuresInRow, lockLevel, lastAttemptAt, clockSkewAt } = given;
        await database.work.single((tx) =>
          tx.change(SET, [failures, failuresInRow, lockLevel, lastAttemptAt, clockSkewAt, subject]),
        );

        const locked = await database.work.single((tx) => parts.store.countLocked(tx, NOW));
        const attemptId = await database.work.single((tx) =>
          parts.store.takeAttempt(tx, { subject }, { kind: 'active' }, NOW),
        );

        const isLocked = lockOf(given, NOW, lockoutSchedule) !== undefined;
        expect(attemptId !== undefined).toBe(!isLocked);
        // Without a lock level, the attempt that caused the lock is still being checked.
        expect(locked).toBe(isLocked && lockLevel > 0 ? 1 : 0);
      }),
      { numRuns: 500 },
    );
  });
});
