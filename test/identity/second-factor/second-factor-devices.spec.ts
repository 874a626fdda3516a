import { expect, it } from 'vitest';
import { type PartsOptions, newAccount, secondFactorParts } from '../../support/login/second-factor-parts.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import type { TrustedDeviceList } from '../../../src/identity/second-factor/trusted-device/trusted-device-list.service.js';
import type { DeviceSecret } from '../../../src/identity/second-factor/trusted-device/trusted-device.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';

const DAY = 86_400;

onEveryDatabase('trusted devices', (database) => {
  interface Situation {
    readonly clock: ManualClock;
    readonly deviceList: TrustedDeviceList;
    readonly subject: string;
    readonly granted: DeviceSecret;
    readonly recognise: (secret: string, subject?: string) => Promise<DeviceSecret | undefined>;
  }

  async function situation(
    properties: PartsOptions['properties'] = { trustedDeviceEnabled: true },
  ): Promise<Situation> {
    const clock = new ManualClock();
    const { devices, deviceList } = secondFactorParts(database.work, clock, { properties });
    const subject = await newAccount(database.work);
    const granted = await withRequestContext({ requestId: 'r', ip: '192.0.2.1', agent: 'Browser' }, () =>
      database.work.run((tx) => devices.grant(tx, subject)),
    );
    return {
      clock,
      deviceList,
      subject,
      granted: granted ?? { secret: '', expiresAt: 0 },
      recognise: (secret, of = subject) => database.work.run((tx) => devices.recognise(tx, of, secret)),
    };
  }

  it('S10: a trusted device is recognized by a secret that is replaced each time', async () => {
    const { recognise, granted } = await situation();

    const next = await recognise(granted.secret);

    expect(next?.expiresAt).toBe(granted.expiresAt);
    expect(await recognise(granted.secret)).toBeUndefined();
    expect(await recognise(next?.secret ?? '')).toBeDefined();
  });

  it('S10: a trusted device is recognized only for its own user', async () => {
    const { recognise, granted } = await situation();

    expect(await recognise(granted.secret, await newAccount(database.work))).toBeUndefined();
    expect(await recognise(granted.secret)).toBeDefined();
  });

  it('S10: trust ends thirty days after it was granted, even when it is used', async () => {
    const { recognise, granted, clock, deviceList, subject } = await situation();
    clock.advance(30 * DAY - 1);
    const next = await recognise(granted.secret);
    expect(next).toBeDefined();
    clock.advance(1);

    expect(await recognise(next?.secret ?? '')).toBeUndefined();
    expect(await deviceList.list(subject)).toEqual([]);
  });

  it('one of twenty concurrent requests with one device secret is recognized', async () => {
    const { recognise, granted } = await situation();

    const answers = await Promise.all(Array.from({ length: 20 }, () => recognise(granted.secret)));

    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
  });

  it('only the user of a trusted device can revoke it', async () => {
    const { deviceList, subject, recognise, granted, clock } = await situation();
    const now = clock.seconds();
    const [device] = await deviceList.list(subject);

    expect(device).toEqual({
      id: device?.id,
      label: 'Browser',
      ip: '192.0.2.1',
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + 30 * DAY,
    });
    expect(await deviceList.revoke('somebody else', device?.id ?? '')).toBe(false);
    expect(await deviceList.revoke(subject, device?.id ?? '')).toBe(true);
    expect(await recognise(granted.secret)).toBeUndefined();
  });

  it('revokeAll revokes trusted devices', async () => {
    const { deviceList, subject, recognise, granted } = await situation();

    await database.work.run((tx) => deviceList.revokeAll(tx, subject));

    expect(await recognise(granted.secret)).toBeUndefined();
  });

  it('disabled trusted devices are neither granted nor recognized', async () => {
    const { granted, subject } = await situation();
    const { devices } = secondFactorParts(database.work, new ManualClock());

    const [again, known] = await database.work.run(async (tx) => [
      await devices.grant(tx, subject),
      await devices.recognise(tx, subject, granted.secret),
    ]);

    expect([again, known]).toEqual([undefined, undefined]);
  });

  it('the database does not contain the secret of a trusted device', async () => {
    const { subject, granted } = await situation();

    const rows = await database.work.single((tx) =>
      tx.rows('SELECT * FROM trusted_device WHERE user_id = ?', [subject]),
    );

    expect(JSON.stringify(rows)).not.toContain(granted.secret);
  });
});
