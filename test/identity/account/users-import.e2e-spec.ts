import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { textOf } from '../../support/http/http-client.js';
import { secondStep, storyOn } from '../../support/login/login-story.js';
import type { Ended } from '../../support/programs/service.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const ROWS = 10_000;
/** One row of this many has an authenticator. */
const APP_EVERY = 10;
const HEADER = 'login_id,password_hash,email,roles,otpauth_uri';
const PASSWORDS = ['five grey herons & 2 piers', 'eight loud kettles & 4 barges', 'two slow ferries & 9 gulls'];
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The secret of one row: 160 bits, different for each row. */
function secretOf(row: number): string {
  const digest = createHash('sha256').update(`row ${row}`).digest();
  return Array.from(digest, (byte) => BASE32.charAt(byte % BASE32.length)).join('');
}

function uriOf(row: number): string {
  return `otpauth://totp/Old%20portal:user-${row}?secret=${secretOf(row)}&issuer=Old%20portal`;
}

function passwordOf(row: number): string {
  return PASSWORDS[row % PASSWORDS.length] ?? '';
}

onAnyEngine('H10: users import', (engine) => {
  const story = storyOn(engine, { people: 1 });
  let hashes: readonly string[] = [];
  let imported: Ended;

  function importOf(name: string, lines: readonly string[]): Promise<Ended> {
    const file = join(story.cwd, name);
    writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`);
    return story.command('users', 'import', file);
  }

  function line(loginId: string, row: number, uri = ''): string {
    return `${loginId},"${hashes[row % PASSWORDS.length]}",${loginId}@harbour.example,ROLE_CLERK,${uri}`;
  }

  async function countOf(table: string): Promise<number> {
    const [row] = await story.database.query<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`);
    return Number(row?.total);
  }

  beforeAll(async () => {
    const cheap = { memoryCost: 1024, timeCost: 1, parallelism: 1 };
    hashes = await Promise.all(PASSWORDS.map((password) => hash(password, cheap)));
    const rows = Array.from({ length: ROWS }, (_, row) =>
      line(`user-${row}`, row, row % APP_EVERY === 0 ? uriOf(row) : ''),
    );
    imported = await importOf('all.csv', rows);
  });

  describe('an import of ten thousand rows with password hashes', () => {
    it('users import creates all users and prints their number', async () => {
      expect(imported).toMatchObject({ exitCode: 0, stdout: `Created ${ROWS} users.\n` });
      // The story itself adds one user.
      expect(await countOf('account')).toBe(ROWS + 1);
      expect(await countOf('totp_secret')).toBe(ROWS / APP_EVERY);
    });

    it.each([0, 4_990, 9_990])(
      'the user of row %i signs in with the imported password and authenticator',
      async (row) => {
        const client = story.client();
        const first = await client.post('/login', { id: `user-${row}`, pw: passwordOf(row) });
        const app = AuthenticatorApp.scan(uriOf(row));
        const second = await secondStep(client, textOf(first, 'mfa_token'), story.codeOf(app));

        expect(first).toBeAnswered(200);
        expect(first.body).toMatchObject({ mfa_required: true, methods: ['totp', 'backup_code'] });
        expect(first.body).not.toHaveProperty('enrolment_required');
        expect(first.body).not.toHaveProperty('access_token');
        expect(second).toBeAnswered(200);
        expect(second.body).toMatchObject({ amr: ['pwd', 'otp'] });
        const state = await client.get('/2fa', { bearer: textOf(second, 'access_token') });
        expect(state.body).toMatchObject({ state: 'active', backup_codes: { remaining: 0, low: true } });
      },
    );

    it('an imported user cannot sign in with the authenticator of another row or with a used code', async () => {
      const [row, other] = [20, 30];
      const half = async (): Promise<string> =>
        textOf(await story.client().post('/login', { id: `user-${row}`, pw: passwordOf(row) }), 'mfa_token');
      const codeOf = (one: number): string => story.codeOf(AuthenticatorApp.scan(uriOf(one)));

      const foreign = await secondStep(story.client(), await half(), codeOf(other));
      const own = await secondStep(story.client(), await half(), codeOf(row));
      const again = await secondStep(story.client(), await half(), codeOf(row));

      expect(foreign).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(own).toBeAnswered(200);
      expect(again).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it.each([1, 4_999, 9_999])(
      'the user of row %i without an authenticator signs in with the password alone',
      async (row) => {
        const answer = await story.client().post('/login', { id: `user-${row}`, pw: passwordOf(row) });
        const wrong = await story.client().post('/login', { id: `user-${row}`, pw: passwordOf(row + 1) });

        expect(answer).toBeAnswered(200);
        expect(answer.body).toMatchObject({ mfa_required: false, amr: ['pwd'] });
        expect(wrong).toBeRefused(401, 'INVALID_CREDENTIALS');
      },
    );

    it('T19: users import stores neither the text nor the bytes of the secrets', async () => {
      const rows = await story.database.query<{ login_id: string; sealed: string; seal_key: string }>(
        'SELECT login_id, sealed, seal_key FROM totp_secret JOIN account ON account.id = totp_secret.user_id AND account.totp_count = 1',
      );

      const readable = rows.filter(({ login_id: loginId, sealed, seal_key: sealKey }) => {
        const secret = secretOf(Number(loginId.replace('user-', '')));
        const raw = bytesOf(secret);
        const box = Buffer.from(sealed.slice(sealKey.length + 1), 'base64url');
        const texts = [secret, raw.toString('hex'), raw.toString('base64'), raw.toString('base64url')];
        const isInText = texts.some((text) => sealed.toLowerCase().includes(text.toLowerCase()));
        return isInText || !sealed.startsWith(`${sealKey}.`) || box.length <= raw.length || box.includes(raw);
      });
      expect(rows).toHaveLength(ROWS / APP_EVERY);
      expect(new Set(rows.map(({ sealed }) => sealed)).size).toBe(rows.length);
      expect(readable).toEqual([]);
      for (const text of [secretOf(0), hashes[0]]) expect(imported.stdout + imported.stderr).not.toContain(text);
    });
  });

  it('users import reads a .jsonl file as JSON lines', async () => {
    const file = join(story.cwd, 'people.jsonl');
    const rows = [
      { login_id: 'by-line', password_hash: hashes[0], roles: ['ROLE_CLERK'], otpauth_uri: uriOf(7) },
      { login_id: 'by-line-2', email: null },
    ];
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

    const outcome = await story.command('users', 'import', file);

    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'Created 2 users.\n' });
    const half = await story.client().post('/login', { id: 'by-line', pw: passwordOf(0) });
    const code = story.codeOf(AuthenticatorApp.scan(uriOf(7)));
    expect(await secondStep(story.client(), textOf(half, 'mfa_token'), code)).toBeAnswered(200);
  });

  it.each([
    ['eight digits', '&digits=8', 'digits'],
    ['another algorithm', '&algorithm=SHA512', 'algorithm'],
    ['another period', '&period=60', 'period'],
    ['a short secret', '', 'too_short'],
  ])('users import rejects the whole file for one row with %s and names its line', async (_, parameters, fault) => {
    const before = [await countOf('account'), await countOf('totp_secret')];
    const bad = fault === 'too_short' ? uriOf(3).replace(secretOf(3), secretOf(3).slice(0, 24)) : uriOf(3);
    // More rows precede it than fit into one statement.
    const good = Array.from({ length: 600 }, (__, row) => line(`late-${row}`, row, row === 0 ? uriOf(row) : ''));

    const { exitCode, stdout, stderr } = await importOf('bad.csv', [
      ...good,
      line('bad', 3, `${bad}${parameters}`),
      line('last', 4),
    ]);

    expect(exitCode).toBe(1);
    expect(stdout).toBe(`line 602: otpauth_uri ${fault}\n`);
    expect(stderr).toBe('Created 0 users. Nothing was changed: correct the file, or use --partial.\n');
    expect([await countOf('account'), await countOf('totp_secret')]).toEqual(before);
    const answer = await story.client().post('/login', { id: 'late-1', pw: passwordOf(1) });
    expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
  });
});

function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (symbol) => BASE32.indexOf(symbol).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
