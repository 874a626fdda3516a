import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigurationFailure } from '../../../src/config/problem.js';
import { PWD } from '../../../src/kernel/principal/amr.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { Sealer } from '../../../src/platform/sealing/sealer.js';
import type { KeyPurpose } from '../../../src/identity/token/keys/signing-keys.js';
import type { Session } from '../../../src/identity/session/session.js';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { onEveryDatabase } from '../../support/database/engines.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { randomSealer, type TokenParts, tokenParts, type TokenSettings } from '../../support/login/token-parts.js';

const DAY = 86_400;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'];

onEveryDatabase('signing keys', (database) => {
  const clock = new ManualClock();
  const sealer = randomSealer('k1');
  const started = async (settings: TokenSettings = {}): Promise<TokenParts> => {
    const parts = tokenParts(database.work, clock, { sealer, ...settings });
    await parts.keyRefresh.onModuleInit();
    return parts;
  };
  const fresh = async (settings: TokenSettings = {}): Promise<TokenParts> => {
    await database.work.single((tx) => tx.change('DELETE FROM signing_key'));
    return started(settings);
  };
  const rows = (): Promise<readonly Row[]> =>
    database.work.single((tx) => tx.rows<Row>('SELECT * FROM signing_key ORDER BY purpose, generation'));
  const session = (): Session => ({
    id: 's',
    subject: 'anna',
    kind: 'token',
    amr: PWD,
    authTime: clock.seconds(),
    createdAt: clock.seconds(),
    lastUsedAt: clock.seconds(),
    expiresAt: clock.seconds() + DAY,
  });
  const token = async ({ accessTokens }: TokenParts): Promise<string> =>
    (await accessTokens.issue(session(), [])).accessToken;
  const kidOf = (jws: string): unknown =>
    (JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as { kid: unknown }).kid;

  it('signing keys are created at the first startup and kept', async () => {
    const first = await fresh();
    const second = await started();
    const imported = first.keys.current('access');
    await first.loader.reload();

    expect(await rows()).toHaveLength(2);
    expect(first.keys.current('access')).toBe(imported);
    expect(await second.accessTokens.verify(await token(first))).toMatchObject({ subject: 'anna' });
    const { token: half } = await first.mfaTokens.issue({ subject: 'anna', securityStamp: 3 });
    expect(await second.mfaTokens.verify(half)).toMatchObject({ subject: 'anna', securityStamp: 3 });
  });

  it('processes that start at once share their signing keys', async () => {
    await database.work.single((tx) => tx.change('DELETE FROM signing_key'));

    const processes = await Promise.all(Array.from({ length: 8 }, () => started()));

    expect(await rows()).toHaveLength(2);
    const tokens = await Promise.all(processes.map(token));
    for (const { accessTokens } of processes) {
      for (const each of tokens) expect(await accessTokens.verify(each)).toBeDefined();
    }
  });

  it('T19: signing keys are stored sealed', async () => {
    await fresh();

    for (const { purpose, id, sealed, seal_key: sealKey } of await rows()) {
      expect(sealKey).toBe('k1');
      expect(sealed).toMatch(/^k1\.[\w-]+$/);
      expect(sealer.open(sealed, `signing-key:${purpose}:${id}`).length).toBeGreaterThanOrEqual(32);
      expect(() => sealer.open(sealed, `signing-key:${purpose}:other`)).toThrow('damaged, moved');
    }
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'J7: keys are published with public members only (%s)',
    async (algorithm) => {
      const { keys, accessTokens, ...parts } = await fresh({ token: { algorithm } });
      const jws = await token({ keys, accessTokens, ...parts });

      const { keys: published } = keys.jwks();

      expect(published).toHaveLength(1);
      expect(published[0]).toMatchObject({ kid: kidOf(jws), alg: algorithm, use: 'sig' });
      for (const member of PRIVATE_MEMBERS) expect(published[0]).not.toHaveProperty(member);
      expect(await accessTokens.verify(jws)).toMatchObject({ subject: 'anna' });
    },
  );

  it('J7: a new key is published a day before it signs, and the old one verifies until its tokens expire', async () => {
    const parts = await fresh();
    const old = await token(parts);
    const [next] = (await parts.rotation.rotate({ actor: 'test' })).filter(({ purpose }) => purpose === 'access');
    await parts.loader.reload();

    expect(next?.signsFrom).toBe(clock.seconds() + DAY);
    expect(parts.keys.jwks().keys.map(({ kid }) => kid)).toEqual([kidOf(old), next?.kid]);
    clock.advance(DAY - 1);
    const last = await token(parts);
    expect(kidOf(last)).toBe(kidOf(old));
    clock.advance(1);
    const first = await token(parts);
    expect(kidOf(first)).toBe(next?.kid);
    clock.advance(500);
    expect(await parts.accessTokens.verify(last)).toBeDefined();
    clock.advance(2 * 3600);
    expect(parts.keys.jwks().keys.map(({ kid }) => kid)).toEqual([next?.kid]);
    await parts.rotation.keepUp();
    expect((await rows()).map(({ id }) => id)).not.toContain(kidOf(old));
  });

  it('concurrent and repeated rotations create one next key', async () => {
    const parts = await fresh();

    const rotated = await Promise.all(Array.from({ length: 5 }, () => parts.rotation.rotate({ actor: 'test' })));
    const again = await parts.rotation.rotate({ actor: 'test' });

    expect(await rows()).toHaveLength(4);
    expect(rotated.flat().filter(({ purpose, isNew }) => purpose === 'access' && isNew)).toHaveLength(1);
    expect(again.map(({ isNew }) => isNew)).toEqual([false, false]);
  });

  it('an immediate rotation activates a new or a waiting key at once', async () => {
    const parts = await fresh();
    const before = await token(parts);
    const [made] = await parts.rotation.rotate({ actor: 'test', atOnce: true });
    await parts.loader.reload();
    const between = await token(parts);
    const [waiting] = await parts.rotation.rotate({ actor: 'test' });
    await parts.rotation.rotate({ actor: 'test', atOnce: true });
    await parts.loader.reload();
    const after = await token(parts);

    expect([kidOf(between), kidOf(after)]).toEqual([made?.kid, waiting?.kid]);
    for (const jws of [before, between, after]) expect(await parts.accessTokens.verify(jws)).toBeDefined();
  });

  it('changed keys are logged once at DEBUG, with those that cannot be unsealed', async () => {
    const log = new CollectedLog();
    log.loggers.setLevel('token', 'DEBUG');
    const parts = await fresh({ loggers: log.loggers });
    const stranger = tokenParts(database.work, clock, { sealer: randomSealer('k2'), loggers: log.loggers });
    const short = (await rows()).map(({ id }) => id.slice(0, 8)).toSorted();
    await parts.loader.reload();

    await stranger.loader.reload();

    const what = 'The keys that sign tokens have changed';
    expect(log.of('token').map(({ message, fields }) => [message, fields])).toEqual([
      [what, { before: '', now: short.join(' '), unopened: '' }],
      [what, { before: '', now: short.join(' '), unopened: short.join(' ') }],
    ]);
  });

  it('a key of another process is found when a token names it', async () => {
    const reader = await fresh();
    const rotating = await started();
    await rotating.rotation.rotate({ actor: 'test', atOnce: true });
    await rotating.loader.reload();
    clock.advance(3);

    expect(await reader.accessTokens.verify(await token(rotating))).toBeDefined();
    const { token: half } = await rotating.mfaTokens.issue({ subject: 'anna', securityStamp: 1 });
    expect(await reader.mfaTokens.verify(half)).toBeDefined();
  });

  it('tokens with unknown key ids cause at most one read in two seconds', async () => {
    const { keys, loader } = await fresh();
    let reads = 0;
    const reload = loader.reload.bind(loader);
    loader.reload = () => {
      reads += 1;
      return reload();
    };
    const ask = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 100 }, (_, index) => keys.find('access', `forged-${index}`)));

    await ask();
    const early = reads;
    clock.advance(2);
    await keys.find('access', 'forged');
    await ask();

    expect([early, reads]).toEqual([0, 1]);
  });

  it.each(['access', 'mfa'] as const)('a retired %s key stops signing, and another takes over', async (purpose) => {
    const parts = await fresh();
    const { kid } = parts.keys.current(purpose);

    expect(await parts.rotation.retire(kid, { actor: 'test' })).toBe(true);
    await parts.loader.reload();

    expect(parts.keys.current(purpose).kid).not.toBe(kid);
    expect(await parts.keys.find(purpose, kid)).toBeDefined();
    expect(await parts.rotation.retire(kid, { actor: 'test' })).toBe(false);
  });

  it('a key retired at once no longer verifies tokens', async () => {
    const parts = await fresh();
    const stolen = await token(parts);
    await parts.rotation.rotate({ actor: 'test' });

    expect(await parts.rotation.retire(String(kidOf(stolen)), { actor: 'test', atOnce: true })).toBe(true);
    await parts.loader.reload();

    expect(await parts.accessTokens.verify(stolen)).toBeUndefined();
    expect(await parts.accessTokens.verify(await token(parts))).toBeDefined();
    expect(parts.keys.jwks().keys).toHaveLength(1);
  });

  it('an old key gets a successor in time', async () => {
    const parts = await fresh();
    clock.advance(89 * DAY - 1);
    await parts.rotation.keepUp();
    expect(await rows()).toHaveLength(2);
    clock.advance(1);
    await Promise.all([parts.rotation.keepUp(), parts.rotation.keepUp()]);

    const states = (await parts.rotation.list()).map(({ purpose, state }) => `${purpose} ${state}`);
    expect(states).toEqual(['access current', 'access next', 'mfa current']);
  });

  it('a change of the algorithm takes effect after a day', async () => {
    const before = await fresh();
    const old = await token(before);
    const parts = await started({ token: { algorithm: 'EdDSA' } });

    expect(parts.keys.current('access').algorithm).toBe('ES256');
    clock.advance(DAY);
    expect(parts.keys.current('access').algorithm).toBe('EdDSA');
    clock.advance(-DAY);
    expect(await parts.accessTokens.verify(old)).toBeDefined();
  });

  it('a PEM file signs while keys of the database still verify', async () => {
    const before = await fresh();
    const old = await token(before);
    const { pem, publicPem } = pemKey();
    const file = join(temporaryFolder('pem'), 'signing.pem');
    writeFileSync(file, pem);

    const parts = await started({ token: { signingKey: `file:${file}` } });
    const other = await started({ token: { verificationKeys: [publicPem] } });
    const jws = await token(parts);

    expect(await parts.accessTokens.verify(old)).toBeDefined();
    expect(await other.accessTokens.verify(jws)).toBeDefined();
    expect(parts.keys.jwks().keys[0]?.['kid']).toBe(kidOf(jws));
    expect((await parts.rotation.rotate({ actor: 'test' })).map(({ purpose }) => purpose)).toEqual(['mfa']);
  });

  it('keys written into the database without the seal key verify nothing', async () => {
    const parts = await fresh();
    const foreign = new Sealer('k1', new Map([['k1', new SystemRandom().bytes(32)]]), new SystemRandom());
    const intruder = tokenParts(database.work, clock, { sealer: foreign });
    await intruder.rotation.rotate({ actor: 'intruder', atOnce: true });
    await intruder.loader.reload();
    await parts.loader.reload();
    clock.advance(3);

    expect(await parts.accessTokens.verify(await token(intruder))).toBeUndefined();
    expect(await parts.accessTokens.verify(await token(parts))).toBeDefined();
  });

  it('keys sealed with an unconfigured key prevent startup', async () => {
    await fresh();

    const failure = await started({ sealer: randomSealer('k2') }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ConfigurationFailure);
    const [problem] = (failure as ConfigurationFailure).problems;
    expect(problem?.what).toBe('The key that signs tokens cannot be opened');
    expect(problem?.facts).toContainEqual(['Property', 'app.security.seal.keys.k1']);
  });

  it('keys are resealed with another key while a process without it keeps working', async () => {
    const random = new SystemRandom();
    const both = new Map([
      ['k1', random.bytes(32)],
      ['k2', random.bytes(32)],
    ]);
    const running = await fresh({ sealer: new Sealer('k1', new Map([...both].slice(0, 1)), random) });
    const rekeying = await started({ sealer: new Sealer('k2', both, random) });
    const jws = await token(running);

    expect(await rekeying.rotation.reseal('test')).toBe(2);
    expect(await rekeying.rotation.reseal('test')).toBe(0);

    expect((await rows()).map(({ seal_key: sealKey }) => sealKey)).toEqual(['k2', 'k2']);
    await running.loader.reload();
    expect(await running.accessTokens.verify(await token(running))).toBeDefined();
    const alone = await started({ sealer: new Sealer('k2', new Map([...both].slice(1)), random) });
    expect(await alone.accessTokens.verify(jws)).toBeDefined();
  });

  it('every change of a signing key records an event', async () => {
    await database.work.single((tx) => tx.change('DELETE FROM security_event'));
    const { rotation, keys } = await fresh();
    await rotation.rotate({ actor: 'admin-1' });
    await rotation.retire(keys.current('mfa').kid, { actor: 'cli' });
    await rotation.reseal('cli');

    const sql = 'SELECT kind, actor, reason FROM security_event ORDER BY id';
    const events = await database.work.single((tx) =>
      tx.rows<{ kind: string; actor: string | null; reason: string }>(sql),
    );

    expect(events.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'KEY_ROTATED'));
    expect(events.map(({ actor, reason }) => `${actor} ${reason}`).toSorted()).toEqual(
      [
        'admin-1 rotated',
        'admin-1 rotated',
        'cli resealed',
        'cli retired',
        'null schedule',
        'null schedule',
      ].toSorted(),
    );
  });
});

interface Row {
  readonly id: string;
  readonly purpose: KeyPurpose;
  readonly sealed: string;
  readonly seal_key: string;
}

function pemKey(): { readonly pem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }) as string,
  };
}
