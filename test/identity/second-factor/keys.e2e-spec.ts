import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { type Enrolled, type LoginStory, secondStep, storyOn } from '../../support/login/login-story.js';
import { upTo } from '../../support/login/races.js';
import { runService } from '../../support/programs/service.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const DAY = 24 * 3600;
/** Seconds after which a token with an unknown key id makes the service reload its keys. */
const LOOK_AGAIN = 3;
const PEPPER = 'a pepper of at least thirty-two characters';
const [OLD_SEAL, NEW_SEAL] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** Verifies an access token as a resource server does; returns its algorithm. */
async function verifiedAlgorithm(story: LoginStory, accessToken: string): Promise<string> {
  const { body } = await story.client().get('/.well-known/jwks.json');
  const keys = createLocalJWKSet(body as unknown as JSONWebKeySet);
  const currentDate = new Date(story.clock.millis);
  return (await jwtVerify(accessToken, keys, { audience: 'resource-api', typ: 'at+jwt', currentDate })).protectedHeader
    .alg;
}

function kidOf(token: string): string {
  return String(decodeProtectedHeader(token).kid);
}

/** The token with another key id in its header. */
function renamed(token: string, kid: string): string {
  const header = JSON.stringify({ ...decodeProtectedHeader(token), kid });
  return [Buffer.from(header).toString('base64url'), ...token.split('.').slice(1)].join('.');
}

/** Purpose and state of every key that `keys list` printed. */
function statesIn(listing: string): Readonly<Record<string, string>> {
  const lines = listing.matchAll(/^(\S+) {2}(access|mfa) {2}\S+ {2}(\w+) {2}signs from /gm);
  return Object.fromEntries(Array.from(lines, ([, kid, purpose, state]) => [String(kid), `${purpose} ${state}`]));
}

function mfaKidIn(listing: string): string {
  return /^(\S+) {2}mfa /m.exec(listing)?.[1] ?? 'none';
}

onSqlite('J7: change of the signing algorithm', (engine) => {
  const story = storyOn(engine);

  it.each(['EdDSA', 'RS256', 'ES256'])(
    'J7: a new key for %s is published for a day before it signs',
    async (algorithm) => {
      await story.service.stop();
      await story.restart([`--app.security.token.algorithm=${algorithm}`]);
      const { body } = await story.client().get('/.well-known/jwks.json');
      story.clock.advance(DAY - 60);
      const { accessToken: before } = await story.signInByPassword(story.person());
      story.clock.advance(61);

      const { accessToken: after } = await story.signInByPassword(story.person());

      expect(decodeProtectedHeader(after).alg).toBe(algorithm);
      expect(decodeProtectedHeader(before).alg).not.toBe(algorithm);
      expect((body as unknown as JSONWebKeySet).keys.map(({ kid }) => kid)).toContain(decodeProtectedHeader(after).kid);
      for (const bearer of [before, after]) {
        expect(await verifiedAlgorithm(story, bearer)).toBe(decodeProtectedHeader(bearer).alg);
        expect(await story.client().get('/me', { bearer })).toBeAnswered(200);
      }
    },
  );

  it('J7: a configured PEM key signs in place of the keys in the database', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await story.service.stop();
    await story.restart([`--app.security.token.signing-key=${pem}`]);

    const { accessToken } = await story.signInByPassword(story.person());

    expect(await verifiedAlgorithm(story, accessToken)).toBe('ES256');
    expect(story.service.stdout + story.service.stderr).not.toContain('PRIVATE KEY');
  });
});

onAnyEngine('J7: compromised signing key', (engine) => {
  const story = storyOn(engine, { people: 3 });

  it('J7: keys rotate and retire with --now invalidate the access tokens of a key, and sessions continue', async () => {
    const { client, accessToken: before } = await story.signInByPassword(story.person());
    const former = kidOf(before);
    const accepted = await story.client().get('/me', { bearer: before });
    const listed = await story.command('keys', 'list');
    const rotated = await story.command('keys', 'rotate', '--now');
    const successor = /^(\S+) {2}access {2}created/m.exec(rotated.stdout)?.[1] ?? '';
    const retired = await story.command('keys', 'retire', former, '--now');
    const relisted = await story.command('keys', 'list');
    story.clock.advance(LOOK_AGAIN);
    // A key id that the running service does not know makes it reload the keys.
    const unknown = await story.client().get('/me', { bearer: renamed(before, successor) });

    const refused = await story.client().get('/me', { bearer: before });
    const refreshed = await client.post('/token/refresh');
    const { accessToken: after } = await story.signInByPassword(story.person());

    for (const { exitCode, stderr } of [listed, rotated, retired, relisted]) expect(exitCode, stderr).toBe(0);
    expect([listed.stderr, relisted.stderr]).toEqual(['', '']);
    expect(statesIn(listed.stdout)).toEqual({ [former]: 'access current', [mfaKidIn(listed.stdout)]: 'mfa current' });
    expect(statesIn(relisted.stdout)).toMatchObject({ [successor]: 'access current' });
    expect(statesIn(relisted.stdout)).not.toHaveProperty([former]);
    expect(accepted).toBeAnswered(200);
    expect(unknown).toBeRefused(401, 'INVALID_TOKEN');
    expect(refused).toBeRefused(401, 'INVALID_TOKEN');
    for (const bearer of [textOf(refreshed, 'access_token'), after]) {
      expect(kidOf(bearer)).toBe(successor);
      expect(await story.client().get('/me', { bearer })).toBeAnswered(200);
    }
    const { body } = await story.client().get('/.well-known/jwks.json');
    expect((body as unknown as JSONWebKeySet).keys.map(({ kid }) => kid)).toEqual([successor]);
  });

  it('J7: keys retire exits with 4 for an unknown key', async () => {
    const { exitCode, stdout, stderr } = await story.command('keys', 'retire', 'nobody', '--now');

    expect([exitCode, stdout, stderr]).toEqual([4, '', 'Unknown signing key nobody.\n']);
  });
});

onAnyEngine('T19: seal key', (engine) => {
  const story = storyOn(engine, { args: [`--app.security.seal.keys.old=${OLD_SEAL}`] });

  it('T19: keys rekey seals all secrets and signing keys with the new key', async () => {
    const person = await story.enrolled();
    const both = [`--app.security.seal.keys.new=${NEW_SEAL}`, '--app.security.seal.active=new'];
    await story.service.stop();
    const { exitCode, stderr } = await story.command('keys', 'rekey', ...both);
    expect(exitCode, stderr).toBe(0);
    const rows = await story.database.query<{ seal_key: string }>(
      'SELECT seal_key FROM totp_secret UNION SELECT seal_key FROM signing_key',
    );
    await story.restart(both);

    expect(new Set(rows.map((row) => row.seal_key))).toEqual(new Set(['new']));
    const answer = await secondStep(story.client(), await story.mfaToken(person), story.nextCode(person));
    expect(answer).toBeAnswered(200);
  });
});

onAnyEngine('app.security.mfa.backup-code.pepper', (engine) => {
  const story = storyOn(engine);

  it('the pepper applies to the hashes of new backup codes, and earlier codes stay valid', async () => {
    const before = await story.enrolled();
    const [oldCode = ''] = before.backupCodes;
    await story.service.stop();
    await story.restart([`--app.security.mfa.backup-code.pepper=${PEPPER}`]);
    const after = await story.enrolled();
    const [newCode = ''] = after.backupCodes;

    const rows = await story.database.query<{ hash: string; user_id: string }>('SELECT user_id, hash FROM backup_code');

    const plain = (code: string): string[] => {
      const digest = createHash('sha256').update(code.replace('-', '')).digest();
      return [digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')];
    };
    const stored = rows.map(({ hash }) => hash).join('\n');
    for (const form of plain(newCode)) expect(stored).not.toContain(form);
    expect(plain(oldCode).some((form) => stored.includes(form))).toBe(true);
    for (const person of [before, after]) {
      const code = person === before ? oldCode : newCode;
      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);
    }
  });
});

onAnyEngine('app.security.mfa.backup-code.peppers', (engine) => {
  const story = storyOn(engine);
  const old = `--app.security.mfa.backup-code.pepper=${PEPPER}`;
  const next = `--app.security.mfa.backup-code.peppers.k2=the next ${PEPPER}`;
  const activated = [old, next, '--app.security.mfa.backup-code.active-pepper-id=k2'];
  const use = async (person: Enrolled, code = ''): Promise<Answer> =>
    secondStep(story.client(), await story.mfaToken(person), code);

  async function restart(...args: readonly string[]): Promise<void> {
    await story.service.stop();
    await story.restart(args);
  }

  it('a pepper is replaced step by step, and removing it rejects its codes with a warning', async () => {
    await restart(old);
    const before = await story.enrolled();
    await restart(old, next);
    const between = await story.enrolled();
    await restart(...activated);
    const after = await story.enrolled();

    for (const person of [before, between, after]) {
      const answers = await Promise.all(upTo(4).map(() => use(person, person.backupCodes[0])));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      expect(await use(person, person.backupCodes[1])).toBeAnswered(200);
    }
    const { stdout } = await story.command('keys', 'list', ...activated);
    expect(stdout).toContain('backup codes of app.security.mfa.backup-code.pepper: 2 accounts');
    expect(stdout).toContain('backup codes of app.security.mfa.backup-code.peppers.k2 (active): 1 account');

    await restart(next);
    const warning = await waitUntil('the missing pepper is reported', () =>
      story.service.troubles.find((line) => line.startsWith('WARN Backup codes are rejected')),
    );
    expect(warning).toBe(
      'WARN Backup codes are rejected because their pepper is not configured ' +
        'missing=app.security.mfa.backup-code.pepper accounts=2',
    );
    expect(await use(before, before.backupCodes[2])).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await use(after, after.backupCodes[2])).toBeAnswered(200);
  });

  it('an unknown active pepper prevents startup', async () => {
    const args = [...story.args, old, '--app.security.mfa.backup-code.active-pepper-id=k9'];
    const { exitCode, stdout, stderr } = await runService({ args, cwd: story.cwd });

    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain('app.security.mfa.backup-code.active-pepper-id');
    expect(stdout + stderr).toContain('no pepper of that id');
  });
});

describe('app.security.mfa.lock', () => {
  onSqlite('duration and max-duration', (engine) => {
    const story = storyOn(engine, {
      args: ['--app.security.mfa.lock.duration=60s', '--app.security.mfa.lock.max-duration=90s'],
    });

    it('lock.duration sets the first lock, and lock.max-duration limits the later ones', async () => {
      const person = await story.enrolled();
      const lengths: unknown[] = [];
      for (const length of [60, 90, 90]) {
        await story.lock(person);
        const answer = await secondStep(story.client(), await story.mfaToken(person), '000000');
        lengths.push(answer.headers.get('retry-after'));
        story.clock.advance(length);
      }

      expect(lengths).toEqual(['60', '90', '90']);
    });
  });
});
