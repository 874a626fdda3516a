import { expect, it } from 'vitest';
import { PWD, PWD_OTP } from '../../../src/kernel/principal/amr.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import type { OpenedSession, Session } from '../../../src/identity/session/session.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { tokenParts } from '../../support/login/token-parts.js';

const HALF_AN_HOUR = 30 * 60;
const DAY = 86_400;

onEveryDatabase('sessions', (database) => {
  const clock = new ManualClock();
  const parts = (): ReturnType<typeof tokenParts> => tokenParts(database.work, clock);
  const sessions = (): ReturnType<typeof tokenParts>['sessions'] => parts().sessions;
  const open = (kind: Session['kind'], subject = 'anna'): Promise<OpenedSession> =>
    database.work.run((tx) => sessions().open(tx, { subject, kind, amr: PWD, authTime: clock.seconds() }));
  const openHalf = (subject = 'anna'): Promise<OpenedSession> =>
    database.work.run((tx) =>
      sessions().openHalf(tx, { subject, securityStamp: 7, authTime: clock.seconds(), isEnrolment: false }),
    );
  const stored = async (): Promise<string> =>
    JSON.stringify(
      await database.work.single(async (tx) => [
        await tx.rows('SELECT * FROM session'),
        await tx.rows('SELECT * FROM refresh_token'),
      ]),
    );

  it('a session is found by its id with all facts of the sign-in', async () => {
    const now = clock.seconds();
    const facts = { subject: 'boss', amr: PWD_OTP, authTime: now - 5, mfaAt: now, mfaMethod: 'totp', idp: 'corp' };
    const from = { requestId: 'r', ip: '192.0.2.7', agent: 'x'.repeat(300) };

    const { session } = await withRequestContext(from, () =>
      database.work.run((tx) => sessions().open(tx, { ...facts, kind: 'token', authnContext: 'urn:raw' })),
    );

    expect(await sessions().find(session.id)).toEqual({
      ...facts,
      id: session.id,
      kind: 'token',
      authnContext: 'urn:raw',
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + 14 * DAY,
      ip: '192.0.2.7',
      agent: 'x'.repeat(255),
    });
  });

  it('S3: the database contains neither session secrets nor refresh tokens in clear text', async () => {
    const { secret = '' } = await open('portal');
    const { refreshToken } = await open('token');

    expect([secret, refreshToken?.value]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    expect(await stored()).not.toContain(secret);
    expect(await stored()).not.toContain(refreshToken?.value);
  });

  it('a portal session is found only by the secret of its cookie', async () => {
    const { session, secret = '' } = await open('portal');

    expect(await sessions().findBySecret(secret)).toEqual(session);
    expect(await sessions().findBySecret(session.id)).toBeUndefined();
    expect(await sessions().findBySecret('')).toBeUndefined();
    expect(await sessions().findBySecret(`${secret}' OR '1'='1`)).toBeUndefined();
  });

  it('T20: refresh tokens and session cookies are not interchangeable', async () => {
    const { secret = '' } = await open('portal');
    const { refreshToken } = await open('token');

    expect(await sessions().findBySecret(refreshToken?.value ?? '')).toBeUndefined();
    expect(await parts().refreshes.rotate(secret, () => Promise.resolve())).toEqual({
      kind: 'rejected',
      reason: 'unknown',
    });
  });

  it('S8: a portal session expires after half an hour without a request', async () => {
    const used = await open('portal');
    const unused = await open('portal');
    clock.advance(HALF_AN_HOUR - 1);
    await sessions().touch(used.session);
    clock.advance(1);

    expect(await sessions().find(used.session.id)).toBeDefined();
    expect(await sessions().find(unused.session.id)).toBeUndefined();
    expect(await sessions().findBySecret(unused.secret ?? '')).toBeUndefined();
  });

  it('S8: a portal session expires after twelve hours even when it is used', async () => {
    const { session } = await open('portal');
    for (let passed = 0; passed < 12 * 3600 - 600; passed += 600) {
      clock.advance(600);
      const found = await sessions().find(session.id);
      if (found) await sessions().touch(found);
    }

    expect(await sessions().find(session.id)).toBeDefined();
    clock.advance(600);
    expect(await sessions().find(session.id)).toBeUndefined();
  });

  it('the last use of a session is written at most once a minute', async () => {
    const { session } = await open('portal');
    clock.advance(59);
    await sessions().touch(session);
    expect(await sessions().find(session.id)).toEqual(session);

    clock.advance(1);
    await sessions().touch(session);
    const found = await sessions().find(session.id);
    expect(found?.lastUsedAt).toBe(session.createdAt + 60);
    expect(found?.expiresAt).toBe(session.createdAt + 60 + HALF_AN_HOUR);
  });

  it('requests do not extend an application session', async () => {
    const { session } = await open('token');
    clock.advance(DAY);
    await sessions().touch(session);

    expect(await sessions().find(session.id)).toEqual({ ...session, lastUsedAt: clock.seconds() });
  });

  it('a half-authenticated session has its security stamp and expires after three minutes', async () => {
    const { session, secret = '' } = await openHalf();
    clock.advance(179);
    await sessions().touch(session);

    expect(await sessions().findBySecret(secret)).toMatchObject({ halfSecurityStamp: 7, amr: ['pwd'], kind: 'portal' });
    clock.advance(1);
    expect(await sessions().findBySecret(secret)).toBeUndefined();
  });

  it('S7: one of ten concurrent upgrades succeeds, with a new session id and cookie', async () => {
    const half = await openHalf();
    const facts = { subject: 'anna', amr: PWD_OTP, authTime: 1, mfaAt: 2, mfaMethod: 'totp' };
    const swap = (): Promise<OpenedSession | undefined> =>
      database.work.run((tx) => sessions().upgrade(tx, half.session.id, facts));

    const swapped = await Promise.all(Array.from({ length: 10 }, swap));

    const [full, ...more] = swapped.filter((opened) => opened !== undefined);
    expect(more).toEqual([]);
    expect(full?.session.id).not.toBe(half.session.id);
    expect(await sessions().findBySecret(half.secret ?? '')).toBeUndefined();
    const found = await sessions().findBySecret(full?.secret ?? '');
    expect(found).toMatchObject({ subject: 'anna', amr: ['pwd', 'otp'], mfaAt: 2 });
    expect(found).not.toHaveProperty('halfSecurityStamp');
  });

  it('a full session cannot be upgraded, and a half-authenticated one cannot be stepped up', async () => {
    const full = await open('portal');
    const half = await openHalf();
    const facts = { subject: 'anna', amr: PWD_OTP, authTime: 1, mfaAt: 2, mfaMethod: 'totp' };

    expect(await database.work.run((tx) => sessions().upgrade(tx, full.session.id, facts))).toBeUndefined();
    expect(await database.work.run((tx) => sessions().stepUp(tx, half.session.id, facts))).toBeUndefined();
    expect(await sessions().find(full.session.id)).toBeDefined();
  });

  it('a step-up keeps the session and replaces its cookie', async () => {
    const { session, secret = '' } = await open('portal');
    const facts = { amr: PWD_OTP, mfaAt: clock.seconds(), mfaMethod: 'totp' };

    const raised = await database.work.run((tx) => sessions().stepUp(tx, session.id, facts));

    expect(raised?.session).toEqual({ ...session, ...facts });
    expect(await sessions().findBySecret(secret)).toBeUndefined();
    expect(await sessions().findBySecret(raised?.secret ?? '')).toEqual(raised?.session);
  });

  it('S6: ending a session takes effect at once, including its refresh tokens', async () => {
    const { session, refreshToken } = await open('token');

    expect(await database.work.run((tx) => sessions().end(tx, session.id))).toBe(true);

    expect(await sessions().find(session.id)).toBeUndefined();
    expect(
      await database.work.single((tx) => parts().refreshes.findSession(tx, refreshToken?.value ?? '')),
    ).toBeUndefined();
    expect(await database.work.run((tx) => sessions().end(tx, session.id))).toBe(false);
  });

  it('a session of another user is not ended', async () => {
    const { session } = await open('token');

    expect(await database.work.run((tx) => sessions().end(tx, session.id, 'eve'))).toBe(false);
    expect(await sessions().find(session.id)).toBeDefined();
  });

  it('endAll ends all sessions of an account except the given one', async () => {
    const kept = await open('portal', 'carla');
    const others = [await open('portal', 'carla'), await open('token', 'carla'), await openHalf('carla')];
    const another = await open('token', 'dora');

    const count = await database.work.run((tx) => sessions().endAll(tx, 'carla', kept.session.id));

    const token = others.find(({ refreshToken }) => refreshToken)?.refreshToken?.value ?? '';
    const family = await database.work.single((tx) => parts().refreshes.findSession(tx, token));

    expect(count).toBe(3);
    expect(family).toBeUndefined();
    for (const { session } of others) expect(await sessions().find(session.id)).toBeUndefined();
    expect(await sessions().list('carla')).toEqual([kept.session]);
    expect(await sessions().list('dora')).toEqual([another.session]);
    expect(await database.work.run((tx) => sessions().endAll(tx, 'carla'))).toBe(1);
  });

  it('the active full sessions of an account are listed, newest first', async () => {
    const old = await open('portal', 'emil');
    clock.advance(HALF_AN_HOUR);
    const first = await open('token', 'emil');
    clock.advance(1);
    const second = await open('portal', 'emil');
    await openHalf('emil');

    const ids = (await sessions().list('emil')).map(({ id }) => id);

    expect(ids).toEqual([second.session.id, first.session.id]);
    expect(ids).not.toContain(old.session.id);
  });

  it('X17: a logout at the identity provider also ends a session that is upgraded at the same time', async () => {
    for (let round = 0; round < 40; round += 1) {
      const subject = `staff-${round}`;
      const facts = { subject, authTime: clock.seconds(), idp: 'corp', idpSession: `elsewhere-${round}` };
      const half = await database.work.run((tx) =>
        sessions().openHalf(tx, { ...facts, securityStamp: 0, isEnrolment: false }),
      );
      const { id } = half.session;

      await Promise.all([
        database.work.run((tx) => sessions().upgrade(tx, id, { subject, amr: PWD_OTP, authTime: facts.authTime })),
        database.work.run((tx) => sessions().endByIdpSession(tx, facts.idpSession)),
      ]);

      expect(await sessions().list(subject)).toEqual([]);
    }
  });

  it('the sweep deletes sessions a day after they expire, and used mfa_tokens', async () => {
    const { mfaTokens, sweep } = parts();
    const { session, refreshToken } = await open('token', 'fred');
    const lasting = await open('token', 'fred');
    await database.work.run((tx) => mfaTokens.markUsed(tx, { jti: 'swept', expiresAt: clock.seconds() }));
    await database.work.single((tx) =>
      tx.change('UPDATE session SET expires_at = ? WHERE id = ?', [clock.seconds(), session.id]),
    );
    clock.advance(DAY - 1);
    await sweep.sweep();
    const early = await stored();
    clock.advance(1);
    await sweep.sweep();

    expect(early).toContain(`"id":"${session.id}"`);
    expect(await stored()).not.toContain(`"id":"${session.id}"`);
    expect(await stored()).toContain(lasting.session.id);
    expect(await database.work.run((tx) => mfaTokens.markUsed(tx, { jti: 'swept', expiresAt: 1 }))).toBe(true);
    expect(refreshToken).toBeDefined();
  });

  it('the sweep deletes expired rows in batches until none is left', async () => {
    const insert = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, 5)';
    await database.work.run(async (tx) => {
      for (let index = 0; index < 450; index += 1) await tx.insert(insert, [`old-${index}`]);
    });

    expect(await parts().sweep.sweep()).toBeGreaterThanOrEqual(450);
    expect(await parts().sweep.sweep()).toBe(0);
  });

  it('the sweep deletes SAML requests a minute after they expire, because anyone can create them', async () => {
    const { sweep } = parts();
    const now = clock.seconds();
    const ask = (id: string, expiresAt: number): Promise<unknown> =>
      database.work.single((tx) =>
        tx.insert(
          'INSERT INTO saml_request (id, idp, browser_hash, relay_state, return_to, asked, expires_at) ' +
            "VALUES (?, 'corp', 'hash', 'state', '/', '{}', ?)",
          [id, expiresAt],
        ),
      );
    await ask('over', now - 60);
    await ask('just over', now - 30);

    await sweep.sweep();

    const left = await database.work.single((tx) => tx.rows('SELECT id FROM saml_request'));
    expect(left).toEqual([{ id: 'just over' }]);
  });
});
