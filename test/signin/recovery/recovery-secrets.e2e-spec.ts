import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { PUBLIC_URL, StoryLinks, tokenIn } from '../../support/login/account-links.js';
import type { Answer } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { openMailboxes } from '../../support/mail/mailbox.js';
import { managed, OPERATOR } from '../../support/management/management.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const CHOSEN = 'nine wet lanterns & 3 harbours';
const MAILBOXES = await openMailboxes();
const MANAGED = [
  '--management.endpoints.web.exposure.include=*',
  `--management.security.user=${OPERATOR.user}`,
  `--management.security.password=${OPERATOR.password}`,
  '--management.httpexchanges.recording.enabled=true',
  '--management.httpexchanges.recording.include=request-headers,response-headers,time-taken,remote-address,principal,session-id',
];
const VERBOSE = [
  '--logging.level.root=TRACE',
  '--server.embedded.accesslog.enabled=true',
  '--server.embedded.accesslog.pattern=%h %u %t "%r" %U %s "%{Referer}i" "%{User-Agent}i"',
  '--app.jpa.show-sql=true',
];

onSqlite('mailed links and what the service records', (engine) => {
  const mailbox = MAILBOXES[engine.name];
  const args = [...mailbox.args, `--app.security.public-url=${PUBLIC_URL}`, ...MANAGED, ...VERBOSE];
  const story = storyOn(engine, { people: 12, args, isAlone: true });
  const links = new StoryLinks(story);

  it('L1, S9: tokens of links are in no log, endpoint, error or table', async () => {
    const person = story.person();
    const address = `${person.id}@harbour.example`;
    await story.database.query('UPDATE account SET email = ? WHERE login_id = ?', [address, person.id]);
    await story.client().post('/password/forgot', { id: person.id });
    const mailed = tokenIn((await mailbox.mailTo(address, 'Someone asked')).text);
    const locked = await story.enrolled();
    await story.lock(locked);
    const unlock = await links.token(locked, 'unlock');
    const notMe = await links.token(person, 'not-me');
    const printed = await story.command('users', 'invite', 'eva', '--print-link');
    const invitation = tokenIn(printed.stdout);
    const tokens = [mailed, unlock, notMe, invitation];
    const answers: Answer[] = [];
    for (const token of tokens) {
      const url = `${PUBLIC_URL}/portal/reset?token=${token}`;
      const headers = { referer: url, 'x-original-url': url };
      answers.push(await story.client().get(`/portal/reset?token=${token}`, { headers: { referer: url } }));
      answers.push(await story.client().send('HEAD', `/portal/unlock?token=${token}`, { headers: { referer: url } }));
      for (const path of ['/password/reset', '/unlock', '/invitation', '/account/not-me']) {
        const body = { token, ...(/reset|invitation/.test(path) && { new: CHOSEN }) };
        answers.push(await story.client().post(`${path}?token=${token}`, body, { headers: { referer: url } }));
      }
      // Malformed bodies are reported with their errors.
      answers.push(await story.client().post('/unlock', { token, more: token }, { headers }));
      answers.push(await story.client().post('/unlock', { token: [token] }, { headers: { referer: url } }));
    }
    const { operator } = managed(story.service);
    const endpoints = [
      'httpexchanges',
      'logfile',
      'env',
      'configprops',
      'metrics',
      'prometheus',
      'mappings',
      'threaddump',
    ];
    const shown = await Promise.all(endpoints.map(async (id) => (await operator.get(`/${id}`)).text));
    await story.client().get('/last-request');
    const accessLogs = await waitUntil('the access log is written', () => {
      const text = filesBelow(join(story.cwd, 'logs')).join('\n');
      return text.includes('/last-request') && text;
    });
    const { stdout, stderr } = story.service;
    const texts = {
      stdout,
      stderr,
      commandErrors: printed.stderr,
      accessLogs,
      // The page of a valid link has the token in its form.
      answers: answers
        .map(({ status, text, headers }) => (status < 400 ? '' : text) + JSON.stringify([...headers]))
        .join('\n'),
      endpoints: shown.join('\n'),
      database: dump(fileOf(String(story.database.args[0]))),
    };

    // Each place has recorded the requests, so that a token could be there.
    expect(texts.accessLogs).toContain('/portal/reset');
    expect(texts.endpoints).toContain('/portal/reset?token=******');
    expect(texts.stdout).toContain('account_link');
    for (const [place, text] of Object.entries(texts)) {
      for (const token of tokens) expect(text.includes(token), `${place} shows a token`).toBe(false);
    }
  });

  it('S9: POST /password/forgot responds without the database, whether or not the id is known', async () => {
    const person = story.person();
    const address = `${person.id}@harbour.example`;
    await story.database.query('UPDATE account SET email = ? WHERE login_id = ?', [address, person.id]);
    const file = fileOf(String(story.database.args[0]));
    // The service may be writing an event of the test before.
    const database = new DatabaseSync(file, { timeout: 5000 });
    database.exec('BEGIN EXCLUSIVE');
    const answers = [
      await story.client().post('/password/forgot', { id: person.id }),
      await story.client().post('/password/forgot', { id: 'nobody' }),
    ];
    database.exec('ROLLBACK');
    database.close();

    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await waitUntil('the mail has arrived', () => mailbox.allTo(address, 'Someone asked').length === 1);
  });
});

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
}

function fileOf(argument: string): string {
  return argument.replace(/^.*jdbc:sqlite:/, '');
}

/** All values of all tables. */
function dump(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM ${name}`).all())).join('\n');
  } finally {
    database.close();
  }
}
