import { beforeAll, describe, expect, it } from 'vitest';
import { Administrator, csv, OTHERS } from '../../support/login/administrator.js';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { onEachEngine } from '../../support/database/story-database.js';

const PROFILE = {
  name: 'Ada Lovelace',
  email: 'ada@harbour.example',
  email_verified: true,
  groups: ['Domain Users', 'ops'],
};
const NONE = { name: null, email: null, email_verified: false, groups: [] };

onEachEngine('profiles in the administration', (engine) => {
  const story = storyOn(engine, { others: OTHERS, people: 10 });
  let admin: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
  });

  async function created(id: string, more: object): Promise<string> {
    const answer = await admin.send('POST', '/users', { id, ...more });
    expect(answer).toBeAnswered(201);
    return textOf(answer, 'sub');
  }

  function change(subject: string, members: object): Promise<Answer> {
    return admin.send('PATCH', `/users/${subject}`, members);
  }

  it('POST /admin/users stores name, groups and a verified address, which the views show', async () => {
    const subject = await created('ada', {
      ...PROFILE,
      name: ' Ada Lovelace ',
      groups: ['ops', 'Domain Users', 'ops'],
    });

    expect((await admin.send('GET', `/users/${subject}`)).body).toMatchObject(PROFILE);
    expect((await admin.send('GET', '/users?query=ada')).body).toMatchObject({ items: [PROFILE] });
    expect((await admin.send('GET', `/users/${await created('plain', {})}`)).body).toMatchObject(NONE);
  });

  it('PATCH changes what it names alone, and null removes name and address', async () => {
    const subject = await created('beth', PROFILE);

    expect((await change(subject, { name: 'Beth' })).body).toMatchObject({ ...PROFILE, name: 'Beth' });
    expect((await change(subject, { groups: [] })).body).toMatchObject({ ...PROFILE, name: 'Beth', groups: [] });
    expect((await change(subject, { name: null, email: null })).body).toMatchObject(NONE);
  });

  it('another address is not verified unless the same request says so', async () => {
    const subject = await created('carl', PROFILE);
    const after = async (members: object): Promise<unknown> => (await change(subject, members)).body['email_verified'];

    expect(await after({ email: PROFILE.email })).toBe(true);
    expect(await after({ email: 'new@harbour.example' })).toBe(false);
    expect(await after({ email_verified: true })).toBe(true);
    expect(await after({ email: 'newer@harbour.example', email_verified: true })).toBe(true);
    expect(await after({ email_verified: false })).toBe(false);
  });

  it('L3: the events of a profile name what changed and no value', async () => {
    const subject = await created('dora', {});
    await change(subject, PROFILE);

    const { text, body } = await admin.send('GET', `/events?user=${subject}&kind=USER_CHANGED`);

    expect(body).toMatchObject({ items: [{ reason: 'displayName email emailVerified groups' }] });
    expect(text).not.toMatch(/Lovelace|harbour|Domain/);
  });

  it.each([
    [{ name: '' }, 'name', 'too_short'],
    [{ name: 'x'.repeat(256) }, 'name', 'too_long'],
    [{ name: 'Ada\nBcc: x' }, 'name', 'malformed'],
    [{ name: 7 }, 'name', 'type'],
    [{ groups: ['a,b'] }, 'groups', 'malformed'],
    [{ groups: ['g'.repeat(65)] }, 'groups', 'malformed'],
    [{ groups: 'ops' }, 'groups', 'type'],
    [{ email_verified: true }, 'email', 'required'],
    [{ email_verified: 'yes' }, 'email_verified', 'type'],
  ])('H1: POST and PATCH reject %j', async (members, field, code) => {
    const subject = await story.subjectOf(story.person());

    for (const answer of [
      await admin.send('POST', '/users', { id: 'wrong', ...members }),
      await change(subject, members),
    ]) {
      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      expect(answer.body).toMatchObject({ errors: [{ field, code }] });
    }
  });

  it('administrators do not declare their own address verified', async () => {
    const own = await story.subjectOf(admin.person);

    expect(await change(own, { name: 'Boss', groups: ['bosses'] })).toBeAnswered(200);
    await story.database.query('UPDATE account SET email = ? WHERE id = ?', ['boss@harbour.example', own]);
    expect(await change(own, { email_verified: true })).toBeRefused(409, 'CONFLICT');
  });

  describe('an import', () => {
    it('takes name, groups and the verification from CSV', async () => {
      const file = csv(
        'login_id,name,email,email_verified,groups',
        'csv-one,"Lovelace, Ada",one@harbour.example,TRUE,"Domain Users,ops"',
        'csv-two,,two@harbour.example,,',
      );

      expect((await admin.import(file)).body).toMatchObject({ created: 2 });
      const { body } = await admin.send('GET', '/users?query=csv-');
      expect(body).toMatchObject({
        items: [
          { name: 'Lovelace, Ada', email_verified: true, groups: ['Domain Users', 'ops'] },
          { name: null, email_verified: false, groups: [] },
        ],
      });
    });

    it('takes them from JSON lines, with their own types', async () => {
      const row = {
        login_id: 'json-one',
        name: 'Ada',
        email: 'j@harbour.example',
        email_verified: true,
        groups: ['a b', 'c'],
      };
      const file = { content: `${JSON.stringify(row)}\n`, fileName: 'people.jsonl', mediaType: 'application/x-ndjson' };

      expect((await admin.import(file)).body).toMatchObject({ created: 1 });
      const { body } = await admin.send('GET', '/users?query=json-');
      expect(body).toMatchObject({ items: [{ name: 'Ada', email_verified: true, groups: ['a b', 'c'] }] });
    });

    it('reports what it cannot take by line and column', async () => {
      const file = csv(
        'login_id,name,email,email_verified,groups',
        'bad-name,a\tb,,,',
        'bad-flag,,x@harbour.example,yes,',
        'bad-groups,,,,two  blanks',
        'no-address,,,true,',
      );

      expect((await admin.import(file)).body).toMatchObject({
        created: 0,
        errors: [
          { line: 2, field: 'name', code: 'malformed' },
          { line: 3, field: 'email_verified', code: 'format' },
          { line: 4, field: 'groups', code: 'malformed' },
          { line: 5, field: 'email', code: 'required' },
        ],
      });
    });
  });
});
