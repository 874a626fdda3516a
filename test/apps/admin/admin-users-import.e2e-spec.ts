import { once } from 'node:events';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, csv, OTHERS } from '../../support/login/administrator.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { type LoginStory, PASSWORD, secondStep, storyOn } from '../../support/login/login-story.js';
import { type FilePart, MULTIPART, multipart } from '../../support/http/multipart.js';
import { runService } from '../../support/programs/service.js';
import { onAnyEngine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const HUGE_COST = '$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

function uriOf(loginId: string, more = ''): string {
  return `otpauth://totp/Old:${loginId}?secret=${SECRET}&issuer=Old${more}`;
}

function jsonLines(...rows: readonly object[]): FilePart {
  return { content: rows.map((row) => `${JSON.stringify(row)}\n`).join(''), fileName: 'people.jsonl' };
}

/** A raw connection on which the test sends every byte itself. */
function opened({ service }: LoginStory): Socket {
  const { hostname, port } = new URL(service.url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

function head(bearer: string, length: number): string {
  const lines = [
    'POST /admin/users/import HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${bearer}`,
    `content-type: ${MULTIPART}`,
    `content-length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

onAnyEngine('POST /admin/users/import', (engine) => {
  const location = temporaryFolder('location');
  const story = storyOn(engine, {
    people: 3,
    others: OTHERS,
    args: [`--app.servlet.multipart.location=${location}`],
  });
  let admin: Administrator;
  let ready: string;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    ready = await hash('five grey herons & 2 piers', { memoryCost: 1024, timeCost: 1, parallelism: 1 });
  });

  it.each(['csv', 'json lines'])(
    'imports users from %s who sign in with their passwords and authenticator apps',
    async (format) => {
      const [inOne, inTwo] = [`one.${format.length}`, `two.${format.length}`];
      const rows = [
        {
          login_id: inOne,
          password: 'two slow ferries & 9 gulls',
          email: `${inOne}@harbour.example`,
          roles: ['ROLE_A'],
        },
        { login_id: inTwo, password_hash: ready, otpauth_uri: uriOf(inTwo) },
      ];
      const part =
        format === 'csv'
          ? csv(
              'login_id,password,password_hash,email,roles,otpauth_uri',
              `${inOne},two slow ferries & 9 gulls,,${inOne}@harbour.example,ROLE_A,`,
              `${inTwo},,"${ready}",,,${uriOf(inTwo)}`,
            )
          : jsonLines(...rows);

      const answer = await admin.import(part);

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({ created: 2, errors: [], errors_total: 0 });
      expect(answer.text).not.toContain(SECRET);
      const byPassword = await story.client().post('/login', { id: inOne, pw: 'two slow ferries & 9 gulls' });
      expect(byPassword).toBeAnswered(200);
      expect(byPassword.body).toMatchObject({ amr: ['pwd'] });
      const client = story.client();
      const passwordStep = await client.post('/login', { id: inTwo, pw: 'five grey herons & 2 piers' });
      const code = story.codeOf(AuthenticatorApp.scan(uriOf(inTwo)));
      expect(await secondStep(client, textOf(passwordStep, 'mfa_token'), code)).toBeAnswered(200);
    },
  );

  it.each([
    ['blanks in its secret', `otpauth://totp/x?secret=${SECRET.replaceAll(/.{4}/g, '$&%20')}`],
    ['signs for blanks in its secret', `otpauth://totp/x?secret=${SECRET.replaceAll(/.{4}/g, '$&+')}`],
    ['its type in capitals', `otpauth://TOTP/x?secret=${SECRET}`],
    ['capitals only', `OTPAUTH://TOTP/X?SECRET=${SECRET}&ISSUER=OLD&ALGORITHM=SHA1&DIGITS=6&PERIOD=30`],
  ])('A6: takes over an authenticator app from a URI with %s', async (name, uri) => {
    const id = `app-${name.length}-${uri.length}`;

    const answer = await admin.import(jsonLines({ login_id: id, password_hash: ready, otpauth_uri: uri }));

    expect(answer.body).toEqual({ created: 1, errors: [], errors_total: 0 });
    const client = story.client();
    const passwordStep = await client.post('/login', { id, pw: 'five grey herons & 2 piers' });
    const code = story.codeOf(AuthenticatorApp.scan(uriOf(id)));
    expect(await secondStep(client, textOf(passwordStep, 'mfa_token'), code)).toBeAnswered(200);
  });

  it('A6: rejects a URI that names its secret twice in different case, and a secret of 80 bits', async () => {
    const answer = await admin.import(
      jsonLines(
        { login_id: 'twice', otpauth_uri: `${uriOf('x')}&SECRET=${SECRET}` },
        { login_id: 'short', otpauth_uri: `otpauth://totp/x?secret=${SECRET.slice(0, 16)}` },
      ),
    );

    expect(answer.body['errors']).toEqual([
      { line: 1, field: 'otpauth_uri', code: 'malformed' },
      { line: 2, field: 'otpauth_uri', code: 'too_short' },
    ]);
  });

  it('an import records a security event with the administrator as its actor', async () => {
    const subject = await story.subjectOf({ id: ADMIN });
    await admin.import(jsonLines({ login_id: 'recorded' }));

    const [event] = await story.database.query<{ actor: string; request_id: string | null }>(
      "SELECT actor, request_id FROM security_event WHERE kind = 'USERS_IMPORTED' ORDER BY id DESC LIMIT 1",
    );
    expect(event).toMatchObject({ actor: subject, request_id: expect.stringMatching(/./) as string });
  });

  describe('H10: invalid rows', () => {
    const lines = (name: string): readonly object[] => [
      { login_id: `${name}-good` },
      { login_id: 'PERSON-1', roles: 'ROLE_ADMIN' },
      { login_id: `${name}-2`, password_hash: HUGE_COST },
      { login_id: `${name}-3`, otpauth_uri: uriOf('x', '&digits=8') },
      { login_id: `${name}-4`, otpauth_uri: uriOf('x', '&algorithm=SHA512') },
      { login_id: `${name}-5`, otpauth_uri: uriOf('x', '&period=60') },
      { login_id: `${name}-6`, otpauth_uri: 'otpauth://totp/x?secret=MFRGG' },
      { login_id: `${name}-7`, otpauth_uri: uriOf('x', '&secret=MFRGG') },
      { login_id: `${name}-8`, password: 'password', roles: ['ROLE_PRE_MFA'] },
      { login_id: `${name}-9`, shoe_size: 'hunter2' },
      { login_id: 42 },
      { login_id: `${name}-GOOD` },
    ];
    const faults = [
      { line: 3, field: 'password_hash', code: 'unsupported' },
      { line: 4, field: 'otpauth_uri', code: 'digits' },
      { line: 5, field: 'otpauth_uri', code: 'algorithm' },
      { line: 6, field: 'otpauth_uri', code: 'period' },
      { line: 7, field: 'otpauth_uri', code: 'too_short' },
      { line: 8, field: 'otpauth_uri', code: 'malformed' },
      { line: 9, field: 'password', code: 'too_common' },
      { line: 9, field: 'roles', code: 'malformed' },
      { line: 10, field: '', code: 'unknown' },
      { line: 11, field: 'login_id', code: 'type' },
    ];
    const taken = [2, 12].map((line) => ({ line, field: 'login_id', code: 'taken' }));

    it('H10: an import with invalid rows creates no user and reports line, field and code but no value', async () => {
      const before = await admin.accounts();

      const answer = await admin.import(jsonLines(...lines('whole')));

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({ created: 0, errors: faults, errors_total: faults.length });
      expect(answer.text + story.service.stdout).not.toMatch(/hunter2|MFRGG|N9qo8|shoe_size/);
      expect(await admin.accounts()).toBe(before);
    });

    it('H10: an import with an existing login id creates no user and changes no user', async () => {
      const before = await admin.accounts();

      const answer = await admin.import(csv('login_id,roles', 'whole-taken,', 'Person-1,ROLE_ADMIN'));

      expect(answer.body).toEqual({
        created: 0,
        errors: [{ line: 3, field: 'login_id', code: 'taken' }],
        errors_total: 1,
      });
      expect(await admin.accounts()).toBe(before);
      const [person] = await story.database.query<{ roles: string }>(
        "SELECT roles FROM account WHERE login_id = 'person-1'",
      );
      expect(person?.roles).toBe('');
    });

    it('H10: an import with partial=true creates the users of the valid rows only', async () => {
      const before = await admin.accounts();

      const answer = await admin.import(jsonLines(...lines('partial')), '?partial=true');

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        created: 1,
        errors: [...faults, ...taken].sort((one, other) => one.line - other.line),
        errors_total: 12,
      });
      expect(await admin.accounts()).toBe(before + 1);
      const [person] = await story.database.query<{ roles: string }>(
        "SELECT roles FROM account WHERE login_id = 'person-1'",
      );
      expect(person?.roles).toBe('');
    });
  });

  it('an import accepts ten thousand rows, counts ten thousand errors and lists the first thousand', async () => {
    const before = await admin.accounts();
    const rows = Array.from({ length: 10_000 }, (_, row) => `many-${row},"${ready}",ROLE_A`);
    const header = 'login_id,password_hash,roles';

    const made = await admin.import(csv(header, ...rows));
    const again = await admin.import(csv(header, ...rows));

    expect(made.body).toEqual({ created: 10_000, errors: [], errors_total: 0 });
    expect(again.body).toMatchObject({ created: 0, errors_total: 10_000 });
    expect(again.body['errors']).toHaveLength(1000);
    expect(await admin.accounts()).toBe(before + 10_000);
  });

  it.each([
    ['a CSV without the column login_id', csv('name,password', 'anna,hunter2'), 'file', 'format'],
    [
      'a CSV with a malformed line behind valid rows',
      csv('login_id,email', 'good-before,', 'x,y,hunter2'),
      'file.3',
      'format',
    ],
    ['a binary file named .csv', { content: Uint8Array.of(0x89, 0x50, 0xff, 0), fileName: 'a.csv' }, 'file', 'format'],
    [
      'a CSV declared as JSON lines',
      { ...csv('login_id', 'good-before'), fileName: 'a', mediaType: 'application/jsonl' },
      'file.1',
      'format',
    ],
    ['an empty file', { content: '', fileName: 'a.jsonl' }, 'file', 'format'],
    [
      'a file that is neither CSV nor JSON lines',
      { content: '[]', fileName: 'people.json', mediaType: 'application/json' },
      'file',
      'type',
    ],
  ])('H1: an import rejects %s and creates no user, with or without partial', async (_, part, field, code) => {
    const before = await admin.accounts();

    for (const query of ['', '?partial=true', '?partial=false']) {
      const answer = await admin.import(part, query);
      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      expect(answer.body['errors']).toEqual([{ field, code }]);
      expect(answer.text).not.toContain('hunter2');
    }
    expect(await admin.accounts()).toBe(before);
    expect(story.service.stdout).not.toMatch(/ERROR|hunter2/);
  });

  it.each(['?partial=yes', '?partial=', '?partial=true&partial=true', '?partial=1', '?all=true'])(
    'H1: an import rejects the query %s',
    async (query) => {
      expect(await admin.import(jsonLines({ login_id: 'of-a-query' }), query)).toBeRefused(400, 'VALIDATION_FAILED');
    },
  );

  it('three parallel imports of the same file create each user once', async () => {
    const ids = Array.from({ length: 300 }, (_, row) => `at-once-${row}`);
    const file = csv('login_id', ...ids);

    const answers = await Promise.all([1, 2, 3].map(() => admin.import(file)));

    for (const answer of answers) expect(answer).toBeAnswered(200);
    expect(answers.map(({ body }) => body['created']).toSorted()).toEqual([0, 0, 300]);
    expect(answers.map(({ body }) => body['errors_total']).toSorted()).toEqual([0, 300, 300]);
  });

  it('the imports leave no file in the upload folder', () => {
    expect(readdirSync(location)).toEqual([]);
  });
});

onSqlite('access and limits of POST /admin/users/import', (engine) => {
  const location = temporaryFolder('location');
  const story = storyOn(engine, {
    people: 5,
    others: OTHERS,
    args: [
      `--app.servlet.multipart.location=${location}`,
      '--app.servlet.multipart.max-file-size=20000B',
      '--app.servlet.multipart.max-request-size=21000B',
      '--server.embedded.connection-timeout=5s',
    ],
  });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  /** A request that gets as far as storing a file would get 503 meanwhile. */
  const withoutFolder = async (request: () => Promise<Answer>): Promise<Answer> => {
    renameSync(location, `${location}.away`);
    try {
      return await request();
    } finally {
      renameSync(`${location}.away`, location);
    }
  };
  const rows = jsonLines({ login_id: 'never-made' });

  it('POST /admin/users/import rejects every caller but an administrator before it stores a file', async () => {
    const anonymous = await withoutFolder(() => admin.import(rows, '', 'no-token'));
    expect(anonymous).toBeRefused(401, 'INVALID_TOKEN');
    const person = await story.enrolled();
    expect(await withoutFolder(() => admin.import(rows, '', person.accessToken))).toBeRefused(403, 'ACCESS_DENIED');
    const mfaToken = await story.mfaToken(person);
    expect(await withoutFolder(() => admin.import(rows, '', mfaToken))).toBeRefused(401, 'INVALID_TOKEN');
    expect(await admin.accounts()).toBe(6);
  });

  it('POST /admin/users/import requires a second factor no older than five minutes', async () => {
    const { accessToken: bearer } = await story.signIn(admin.person);
    story.clock.advance(301);

    const stale = await withoutFolder(() => admin.import(rows, '', bearer));

    expect(stale).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(stale.headers.get('www-authenticate')).toContain('max_age="300"');
    expect(await admin.accounts()).toBe(6);
  });

  it("S5: POST /admin/users/import rejects a cross-site request from an administrator's browser", async () => {
    const client = story.client();
    const passwordStep = await client.post('/session', { id: ADMIN, pw: PASSWORD });
    expect(passwordStep).toBeAnswered(200);
    const code = story.nextCode(admin.person);
    expect(await client.post('/2fa/verify', { code })).toBeAnswered(200);
    const send = (origin: string): Promise<Answer> =>
      client.send('POST', '/admin/users/import', {
        raw: multipart(jsonLines({ login_id: 'by-a-browser' })),
        headers: { 'content-type': MULTIPART, origin },
      });

    const foreign = await withoutFolder(() => send('https://evil.example'));
    expect(foreign).toBeRefused(403, 'CROSS_SITE');
    expect((await send(story.service.url)).body).toMatchObject({ created: 1 });
  });

  describe('H5: size and storage of an uploaded file', () => {
    let bearer: string;
    const fileOf = (size: number): FilePart => ({ content: `login_id\n${'\n'.repeat(size - 9)}`, fileName: 'a.csv' });
    const around = multipart(fileOf(9)).length - 9;

    beforeAll(async () => {
      ({ accessToken: bearer } = await story.signIn(admin.person));
    });

    it('H5: an import accepts a file of max-file-size and rejects one more byte', async () => {
      expect(await admin.import(fileOf(20_000), '', bearer)).toBeAnswered(200);
      expect(await admin.import(fileOf(20_001), '', bearer)).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
      expect(readdirSync(location)).toEqual([]);
    });

    it('H5: an import accepts a request of max-request-size and rejects one more byte', async () => {
      const send = (size: number): Promise<Answer> => {
        const body = multipart(fileOf(20_000));
        const padding = Buffer.from(`${'p'.repeat(size - body.length - 2)}\r\n`);
        return story.client().send('POST', '/admin/users/import', {
          raw: Buffer.concat([padding, body]),
          headers: { 'content-type': MULTIPART },
          bearer,
        });
      };

      expect(around).toBeLessThan(900);
      expect(await send(21_000)).toBeAnswered(200);
      expect(await withoutFolder(() => send(21_001))).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
    });

    it.each(['leaves', 'is silent'])(
      'H5: an incomplete upload is stored in location and removed when the client %s',
      async (what) => {
        const socket = opened(story);
        const received: Buffer[] = [];
        socket.on('data', (bytes: Buffer) => received.push(bytes));
        socket.write(head(bearer, 10_000));
        socket.write(multipart(fileOf(5_000)).subarray(0, 3_000));
        await waitUntil('the file exists', () => readdirSync(location).length === 1);

        if (what === 'leaves') socket.destroy();
        else await once(socket, 'close');

        await waitUntil('the file is deleted', () => readdirSync(location).length === 0);
        expect(Buffer.concat(received).toString()).toMatch(what === 'leaves' ? /^$/ : /^HTTP\/1\.1 408 /);
      },
    );

    it('H5: an import that cannot store its file gets 503, and the log names the cause', async () => {
      const answer = await withoutFolder(() => admin.import(fileOf(9), '', bearer));

      expect(answer).toBeRefused(503, 'UNAVAILABLE');
      await waitUntil('the reason is logged', () =>
        /ERROR .* : UNAVAILABLE POST \/admin\/users\/import\n[^]*ENOENT/.test(story.service.stdout),
      );
    });

    it('D4: a folder that cannot be written costs one error a minute, however many imports it fails', async () => {
      const errors = (): number =>
        story.service.stdout.match(/ERROR .* : UNAVAILABLE POST \/admin\/users\/import\n.*upload not stored/g)
          ?.length ?? 0;
      const import503 = async (): Promise<void> => {
        expect(await withoutFolder(() => admin.import(fileOf(9), '', bearer))).toBeRefused(503, 'UNAVAILABLE');
      };
      await import503();
      await waitUntil('the reason is logged', () => errors() > 0);
      const before = errors();

      for (let number = 0; number < 3; number += 1) await import503();
      // The log is in the order of the requests.
      const last = await story.client().post('/login', { id: 'unknown', pw: 'wrong' });
      const id = last.headers.get('x-request-id') ?? '';
      await waitUntil('the log is complete', () => story.service.stdout.includes(`requestId=${id}`));

      expect(errors()).toBe(before);
    });

    it('H5: an import whose stored file disappears before it is read gets 503 without the path', async () => {
      const socket = opened(story);
      const received: Buffer[] = [];
      socket.on('data', (bytes: Buffer) => received.push(bytes));
      const body = multipart(fileOf(500));
      socket.write(head(bearer, body.length));
      socket.write(body.subarray(0, -1));
      const name = await waitUntil('the file exists', () => readdirSync(location)[0]);

      rmSync(join(location, name));
      socket.write(body.subarray(-1));

      const text = await waitUntil(
        'the response arrives',
        () => /^.*\}$/s.exec(Buffer.concat(received).toString())?.[0],
      );
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toContain('"code":"UNAVAILABLE"');
      expect(text).not.toContain(location);
      socket.destroy();
    });
  });
});

onSqlite('POST /admin/users/import by a client that disconnects', (engine) => {
  const location = temporaryFolder('location');
  const story = storyOn(engine, {
    people: 1,
    others: OTHERS,
    args: [`--app.servlet.multipart.location=${location}`, '--app.lifecycle.timeout-per-shutdown-phase=10s'],
  });

  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  it('an import completes although its client disconnects after sending the file', async () => {
    const rows = Array.from({ length: 500 }, (_, row) => ({
      login_id: `left-${row}`,
      password: `harbour lantern ${row}`,
    }));
    const part = jsonLines(...rows);
    const body = multipart(part);
    const socket = opened(story);
    socket.write(head(admin.person.accessToken, body.length));
    socket.write(body);
    const size = (): number =>
      readdirSync(location).reduce((sum, name) => sum + statSync(join(location, name)).size, 0);
    await waitUntil('the file is complete', () => size() === part.content.length);

    socket.destroy();

    await waitUntil('the file is deleted', () => readdirSync(location).length === 0);
    expect(await admin.accounts()).toBe(502);
    expect(story.service.troubles.join()).not.toContain('ERROR');
  });

  it.each([
    ['sends the rest', 'gets its response'],
    ['sends no more', 'is cut off at the limit'],
    ['sends no more', 'is cut off at a second signal'],
  ])('an import client that %s during shutdown %s, and no file remains', async (what, end) => {
    const { accessToken } = await story.signIn(admin.person);
    const body = multipart(csv('login_id', 'of-a-stop'));
    const socket = opened(story);
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    socket.write(head(accessToken, body.length));
    socket.write(body.subarray(0, -10));
    await waitUntil('the file exists', () => readdirSync(location).length === 1);

    const exitCode = story.service.stop();
    await waitUntil('the service stops', () => story.service.stdout.includes('Stopping: 1 request in progress'));
    if (what === 'sends the rest') socket.write(body.subarray(-10));
    if (end.includes('signal')) void story.service.stop();

    expect(await exitCode).toBe(end.includes('signal') ? 1 : 0);
    const text = Buffer.concat(received).toString();
    expect(text).toMatch(what === 'sends the rest' ? /^HTTP\/1\.1 200 .*"created":1/s : /^$/);
    expect(story.service.troubles.join().includes('Cut off')).toBe(end.includes('limit'));
    expect(readdirSync(location)).toEqual([]);
    await story.restart();
  });

  it('the next start removes the uploaded files of a killed service', async () => {
    const { accessToken } = await story.signIn(admin.person);
    const body = multipart(csv('login_id', 'half'));
    const socket = opened(story);
    socket.write(head(accessToken, body.length));
    socket.write(body.subarray(0, -10));
    await waitUntil('the file exists', () => readdirSync(location).length === 1);

    await story.service.kill();
    expect(readdirSync(location)).toHaveLength(1);
    await story.restart();

    expect(readdirSync(location)).toEqual([]);
  });
});

describe('app.servlet.multipart.location', () => {
  const problem = (path: string): string => `Property: app.servlet.multipart.location\n     Value:    "${path}"`;

  it.each([
    ['does not exist', () => join(temporaryFolder(), 'missing'), 'the folder does not exist: ENOENT'],
    [
      'is a file',
      () => {
        const file = join(temporaryFolder(), 'file');
        writeFileSync(file, '');
        return file;
      },
      'it is not a folder: ENOTDIR',
    ],
    ['is not writable', () => '/proc', /Reason: {3}(?:.*: )?E[A-Z]+/],
  ])('startup fails with a report if the upload folder %s', async (_, folder, reason) => {
    const path = folder();

    const { exitCode, stderr } = await runService({ args: [`--app.servlet.multipart.location=${path}`] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('Uploaded files cannot be stored');
    expect(stderr).toContain(problem(path));
    expect(stderr).toContain('from property source "commandLineArgs"');
    expect(stderr).toMatch(reason);
  });
});

onSqlite('imports with app.security.mfa.import.min-secret-bits=80', (engine) => {
  const story = storyOn(engine, { others: OTHERS, args: ['--app.security.mfa.import.min-secret-bits=80'] });

  it('A6: an import takes over authenticator apps with secrets of 80 bits, and none below', async () => {
    const admin = await Administrator.of(story);
    const uri = (length: number) => `otpauth://totp/x?secret=${SECRET.slice(0, length)}`;

    const answer = await admin.import(
      jsonLines({ login_id: 'of-80', otpauth_uri: uri(16) }, { login_id: 'of-75', otpauth_uri: uri(15) }),
      '?partial=true',
    );

    expect(answer.body).toMatchObject({ created: 1, errors: [{ line: 2, field: 'otpauth_uri' }] });
  });
});
