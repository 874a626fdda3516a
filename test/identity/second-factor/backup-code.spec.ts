import { expect, it } from 'vitest';
import type { Proof } from '../../../src/identity/second-factor/second-factor.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import {
  accountRow,
  ending,
  enrolledUser,
  eventsOf,
  newAccount,
  secondFactorParts,
  type SecondFactorParts,
  typedCode,
} from '../../support/login/second-factor-parts.js';

const PEPPER = 'pepper of a test, long enough for it';
const nothing = (): Promise<void> => Promise.resolve();

onEveryDatabase('backup codes', (database) => {
  const clock = new ManualClock();
  const plain = (): SecondFactorParts => secondFactorParts(database.work, clock);
  const peppered = (pepper = PEPPER): SecondFactorParts => secondFactorParts(database.work, clock, { pepper });
  const prove = ({ secondFactors }: SecondFactorParts, subject: string, code = ''): Promise<string> =>
    ending(secondFactors.prove({ subject }, typedCode(code), nothing));
  const hashes = async (subject: string): Promise<readonly string[]> => {
    const sql = 'SELECT hash FROM backup_code WHERE user_id = ?';
    return (await database.work.single((tx) => tx.rows<{ hash: string }>(sql, [subject]))).map(({ hash }) => hash);
  };

  it('T13: each backup code works once in any spelling, and the proof states how many remain', async () => {
    const parts = plain();
    const { subject, backupCodes } = await enrolledUser(database.work, parts, clock);
    const typed = backupCodes.map((code, index) => (index % 2 ? code.toLowerCase() : ` ${code.replace('-', ' - ')} `));
    const proofs: Proof[] = [];

    for (const code of typed) {
      proofs.push(
        await parts.secondFactors.prove({ subject }, typedCode(code), (_tx, proof) => Promise.resolve(proof)),
      );
    }

    expect(proofs).toEqual(
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((remaining) => ({
        method: 'backup_code',
        remaining,
        isLow: remaining <= 3,
        roles: [],
        amr: 'otp',
        provedAt: clock.seconds(),
      })),
    );
    expect(await eventsOf(database.work, subject)).toEqual({ BACKUP_USED: 10, BACKUP_LOW: 4 });
    expect(await prove(parts, subject, backupCodes[0])).toBe('MFA_CODE_INVALID');
  });

  it('a backup code of another user is rejected', async () => {
    const parts = plain();
    const { backupCodes } = await enrolledUser(database.work, parts, clock);
    const other = await enrolledUser(database.work, parts, clock);

    expect(await prove(parts, other.subject, backupCodes[0])).toBe('MFA_CODE_INVALID');
    expect(await accountRow(database.work, other.subject)).toMatchObject({ failures: 1, failures_in_row: 1 });
  });

  it('T15: reissuing invalidates all earlier backup codes and activates the new ones', async () => {
    const parts = plain();
    const { subject, backupCodes } = await enrolledUser(database.work, parts, clock);
    clock.advance(100);

    const reissued = await parts.enrolment.reissue(subject);

    expect(reissued).toHaveLength(10);
    expect(await prove(parts, subject, backupCodes[0])).toBe('MFA_CODE_INVALID');
    expect(await prove(parts, subject, reissued[0])).toBe('ok');
    expect((await parts.enrolment.state(subject)).backupCodes).toEqual({
      remaining: 9,
      generatedAt: clock.seconds(),
      isLow: false,
    });
    expect(await hashes(subject)).toHaveLength(9);
  });

  it('pending backup codes survive a reissue of the active ones', async () => {
    const parts = plain();
    const { subject } = await enrolledUser(database.work, parts, clock);
    const { security_stamp: stamp } = await accountRow(database.work, subject);
    await parts.setup.begin({ subject, requestedBy: 'sid:a', change: 'replace', ofStamp: Number(stamp) });

    await parts.enrolment.reissue(subject);

    expect(await hashes(subject)).toHaveLength(20);
  });

  it('backup codes cannot be reissued without an active secret', async () => {
    const { enrolment } = plain();

    expect(await ending(enrolment.reissue(await newAccount(database.work)))).toBe('MFA_STATE_CONFLICT');
  });

  it('backup codes are stored as SHA-256 without a pepper and as HMAC with one', async () => {
    const [without, withPepper] = [plain(), peppered()];
    const first = await enrolledUser(database.work, without, clock);
    const second = await enrolledUser(database.work, withPepper, clock);

    for (const hash of await hashes(first.subject)) expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    for (const hash of await hashes(second.subject)) expect(hash).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
  });

  it('backup codes from before the pepper was set stay valid until they are reissued', async () => {
    const { subject, backupCodes } = await enrolledUser(database.work, plain(), clock);

    expect(await prove(peppered(), subject, backupCodes[0])).toBe('ok');

    const reissued = await peppered().enrolment.reissue(subject);
    expect(await prove(peppered(), subject, backupCodes[1])).toBe('MFA_CODE_INVALID');
    expect(await prove(plain(), subject, reissued[0])).toBe('MFA_CODE_INVALID');
    expect(await prove(peppered('another pepper, just as long as that one'), subject, reissued[0])).toBe(
      'MFA_CODE_INVALID',
    );
    expect(await prove(peppered(), subject, reissued[0])).toBe('ok');
  });
});
