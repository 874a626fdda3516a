import { afterAll, beforeAll, expect, it } from 'vitest';
import { SystemClock } from '../../../src/kernel/clock/clock.js';
import {
  type Failures,
  type FailureStore,
  type Forgetting,
  GuessFailures,
  remembered,
  SharedFailures,
} from '../../../src/identity/account/throttle/shared-failures.js';
import { KvstoreFailures } from '../../../src/identity/account/throttle/kvstore-failures.client.js';
import { GuessFailureTable } from '../../../src/identity/account/throttle/password-failure.store.js';
import type { Kvstore } from '../../../src/platform/kvstore/kvstore.service.js';
import { StoreAvailability } from '../../../src/platform/kvstore/store-availability.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { at, kvstoreOf } from '../../support/database/kvstore.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { needs } from '../../support/runner/needs.js';
import { type RedisServer, startRedis } from '../../support/database/redis.js';
import { accountParts } from './account-parts.js';

const PASSWORD = 'a long enough password';
const WHOLE: Forgetting = { perMilli: 0, afterMillis: 900_000 };
const GRADUALLY: Forgetting = { perMilli: 1 / 1000, afterMillis: 600_000 };

async function countOf(store: FailureStore, key: string): Promise<number | undefined> {
  return (await store.read([key])).get(key)?.count;
}

/** What holds for both stores. */
function sharedTests(replicas: () => readonly [FailureStore, FailureStore]): void {
  it('P3: failures at two replicas add up exactly, also if they are first ones at the same time', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        (replicas()[turn % 2] as FailureStore).save([
          { key: 'own', to: WHOLE },
          { key: 'lane', to: WHOLE },
        ]),
      ),
    );

    expect(await countOf(replicas()[0], 'own')).toBe(40);
    expect(await countOf(replicas()[1], 'lane')).toBe(40);
  });

  it('a success at one replica forgets the failures of its key at the other one, and no other key', async () => {
    const [one, other] = replicas();
    await one.save([
      { key: 'forgotten', to: WHOLE },
      { key: 'kept', to: WHOLE },
    ]);

    await other.save([{ key: 'forgotten', to: 'none' }]);

    expect([...(await one.read(['forgotten', 'kept', 'unknown'])).keys()]).toEqual(['kept']);
  });
}

onEveryDatabase('Failures of passwords in the table password_failure', (database) => {
  const table = (clock: ManualClock): FailureStore => new GuessFailureTable(database.work, clock);

  sharedTests(() => [table(new ManualClock()), table(new ManualClock())]);

  it.each([
    ['gradually', GRADUALLY, 2_000, 1],
    ['gradually, and never below none', GRADUALLY, 60_000, 0],
    ['after a time without another one', WHOLE, 900_000, 0],
    ['not before that time', WHOLE, 899_999, 3],
  ])('failures are forgotten %s', async (title, forgetting, millis, kept) => {
    const clock = new ManualClock();
    const store = table(clock);
    for (let times = 0; times < 3; times += 1) await store.save([{ key: title, to: forgetting }]);

    clock.advance(millis / 1000);
    const before = (await store.read([title])).get(title);
    await store.save([{ key: title, to: forgetting }]);

    expect(before && remembered(before, clock.millis(), forgetting)).toBe(kept);
    expect(await countOf(store, title)).toBe(kept + 1);
  });

  it('P3: replicas whose clocks differ by 2 seconds count every failure, and the later time stays', async () => {
    const [late, early] = [new ManualClock(), new ManualClock()];
    early.advance(2);
    for (let times = 0; times < 5; times += 1) {
      await table(early).save([{ key: 'skewed', to: GRADUALLY }]);
      await table(late).save([{ key: 'skewed', to: GRADUALLY }]);
    }

    expect((await table(late).read(['skewed'])).get('skewed')).toEqual({ count: 10, lastAt: early.millis() });
  });

  it('a login waits for a store outside of the database without keeping a unit of work open', async () => {
    const availability = new StoreAvailability(
      () => Promise.resolve(),
      60_000,
      new CollectedLog().loggers.get('limits'),
      { lost: 'lost', back: 'back' },
    );
    const response = Promise.withResolvers<ReadonlyMap<string, Failures>>();
    const asked = Promise.withResolvers<undefined>();
    const store: FailureStore = {
      read: () => {
        asked.resolve(undefined);
        return response.promise;
      },
      save: () => Promise.resolve(),
    };
    const failures = new GuessFailures(new SharedFailures(store, availability));
    const { creation, hasher, verification } = accountParts(database.work, undefined, undefined, undefined, failures);
    await creation.create({ loginId: 'waiting', password: PASSWORD, roles: [] }, 'cli');
    const login = verification.verify({ loginId: 'waiting', password: PASSWORD });
    await asked.promise;

    expect(await database.work.single((tx) => tx.rows('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    response.resolve(new Map());
    expect(await login).toMatchObject({ kind: 'right' });
    await hasher.close();
  });

  it('the table shows neither login ids nor addresses', async () => {
    await table(new ManualClock()).save([{ key: 'login_id:anna:192.0.2.7', to: WHOLE }]);

    const rows = await database.work.single((tx) => tx.rows('SELECT id FROM password_failure'));

    expect(JSON.stringify(rows)).not.toMatch(/anna|192\.0\.2\.7/);
  });
});

needs('redis')('Failures of passwords in the key-value store', () => {
  let redis: RedisServer;
  let replicas: readonly Kvstore[];

  beforeAll(async () => {
    redis = await startRedis();
    replicas = [1, 2].map(() => kvstoreOf(at(redis)).kvstore);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.onApplicationShutdown()));
    await redis.stop();
  });

  sharedTests(() => {
    const [one, other] = replicas.map((each) => new KvstoreFailures(each, new SystemClock()));
    if (!one || !other) throw new Error('no replicas');
    return [one, other];
  });

  it('P3: the age of failures does not depend on the clocks of replicas', async () => {
    const ahead = new ManualClock(4_000_000_000);
    const store = new KvstoreFailures(replicas[0] as Kvstore, ahead);
    await store.save([{ key: 'aged', to: WHOLE }]);

    const found = (await store.read(['aged'])).get('aged');

    expect(found && ahead.millis() - found.lastAt).toBeLessThan(60_000);
    expect(found && ahead.millis() - found.lastAt).toBeGreaterThanOrEqual(0);
  });

  it('a part of a failure is kept', async () => {
    const store = new KvstoreFailures(replicas[0] as Kvstore, new SystemClock());
    const slowly: Forgetting = { perMilli: 1e-9, afterMillis: 3_600_000 };
    for (let times = 0; times < 3; times += 1) await store.save([{ key: 'parts', to: slowly }]);

    const count = await countOf(store, 'parts');

    expect(count).toBeGreaterThan(2.9);
    expect(count).toBeLessThanOrEqual(3);
  });
});
