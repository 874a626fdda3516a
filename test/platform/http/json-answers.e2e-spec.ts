import { afterEach, describe, expect, it } from 'vitest';
import {
  EncodingProperties,
  JsonProperties,
  JsonSerializationProperties,
} from '../../../src/platform/http/json/json.properties.js';
import { PAGE } from '../../support/http/answers.controller.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { storyOn } from '../../support/login/login-story.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { runService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';

interface Keys {
  readonly json?: Partial<JsonProperties>;
  readonly jsonSerialization?: Partial<JsonSerializationProperties>;
  readonly encoding?: Partial<EncodingProperties>;
}

let service: EchoService | undefined;

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function start({ json, jsonSerialization, encoding }: Keys = {}): Promise<EchoService> {
  service = await startEchoService({
    json: Object.assign(new JsonProperties(), json),
    jsonSerialization: Object.assign(new JsonSerializationProperties(), jsonSerialization),
    encoding: Object.assign(new EncodingProperties(), encoding),
  });
  return service;
}

async function textOf(path: string, keys: Keys): Promise<string> {
  const { url } = await start(keys);
  return (await fetch(`${url}${path}`)).text();
}

async function typeOf({ url }: EchoService, path: string): Promise<string | null> {
  return (await fetch(`${url}${path}`)).headers.get('content-type');
}

describe('dates in responses', () => {
  it.each([
    ['dates are ISO 8601 in UTC by default', {}, '"2026-11-20T15:15:00.250Z"'],
    [
      'dates have the offset of app.json.time-zone',
      { json: { timeZone: 'Asia/Seoul' } },
      '"2026-11-21T00:15:00.250+09:00"',
    ],
    ['dates follow app.json.date-format', { json: { dateFormat: 'yyyy-MM-dd HH:mm:ss' } }, '"2026-11-20 15:15:00"'],
    [
      'dates follow app.json.date-format in app.json.time-zone',
      { json: { dateFormat: "EEE d MMM yyyy 'at' h:mm a VV", timeZone: 'Asia/Seoul' } },
      '"Sat 21 Nov 2026 at 12:15 AM Asia/Seoul"',
    ],
    [
      'dates are milliseconds with app.json.serialization.write-dates-as-timestamps',
      { jsonSerialization: { writeDatesAsTimestamps: true } },
      '1795187700250',
    ],
    [
      'app.json.date-format overrides app.json.serialization.write-dates-as-timestamps',
      { json: { dateFormat: 'yyyy' }, jsonSerialization: { writeDatesAsTimestamps: true } },
      '"2026"',
    ],
  ])('%s', async (_, keys: Keys, date) => {
    expect(await textOf('/dated', keys)).toBe(
      `{"at":${date},"device":null,"idp":null,"note":"","list":[null,{"at":${date},"ip":null}],"name":"한"}`,
    );
  });
});

describe('members without a value', () => {
  const at = '"at":"2026-11-20T15:15:00.250Z"';
  const whole = `{${at},"device":null,"idp":null,"note":"","list":[null,{${at},"ip":null}],"name":"한"}`;
  const withoutNull = `{${at},"device":null,"note":"","list":[null,{${at}}],"name":"한"}`;

  it.each([
    ['always', whole],
    ['use_defaults', whole],
    ['non_null', withoutNull],
    ['non_absent', withoutNull],
    ['non_default', withoutNull],
    ['non_empty', `{${at},"device":null,"list":[null,{${at}}],"name":"한"}`],
  ] as const)(
    'default-property-inclusion=%s selects the members without a value, except those a route guarantees',
    async (defaultPropertyInclusion, text) => {
      expect(await textOf('/dated', { json: { defaultPropertyInclusion } })).toBe(text);
    },
  );
});

describe('app.json.*', () => {
  const keys: Keys = { json: { dateFormat: 'yyyy', defaultPropertyInclusion: 'non_empty', timeZone: 'Asia/Seoul' } };

  it('app.json.* does not change error bodies', async () => {
    const { url } = await start(keys);

    const answer = await fetch(`${url}/note`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'no JSON',
    });

    expect(await answer.json()).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      errors: [],
    });
  });

  it('app.json.* does not change management bodies', async () => {
    expect(await textOf('/managed', keys)).toBe('{"at":"1970-01-01T00:00:00.000Z","none":null,"name":"한"}');
  });

  it('app.json.* does not change a body that is already serialized', async () => {
    expect(await textOf('/description', keys)).toBe('{ "title": "한", "default": null }');
  });
});

describe('Content-Type of responses', () => {
  const PROBLEM = '/nowhere';

  it('a JSON response states no charset by default, and a text response does', async () => {
    const echo = await start();

    expect(await typeOf(echo, '/dated')).toBe('application/json');
    expect(await typeOf(echo, '/description')).toBe('application/json');
    expect(await typeOf(echo, '/key-set')).toBe('application/jwk-set+json');
    expect(await typeOf(echo, '/nobody')).toBe('application/json');
    expect(await typeOf(echo, PROBLEM)).toBe('application/problem+json');
    expect(await typeOf(echo, '/page')).toBe('text/html; charset=utf-8');
    expect(await typeOf(echo, '/words')).toBe('text/plain;charset=UTF-8');
  });

  it('server.servlet.encoding.force states the charset of JSON and text responses, but not of images', async () => {
    const echo = await start({ encoding: { force: true } });

    expect(await typeOf(echo, '/dated')).toBe('application/json;charset=UTF-8');
    expect(await typeOf(echo, '/description')).toBe('application/json;charset=UTF-8');
    expect(await typeOf(echo, '/key-set')).toBe('application/jwk-set+json;charset=UTF-8');
    expect(await typeOf(echo, PROBLEM)).toBe('application/problem+json;charset=UTF-8');
    expect(await typeOf(echo, '/page')).toBe('text/html;charset=UTF-8');
    expect(await typeOf(echo, '/words')).toBe('text/plain;charset=UTF-8');
    expect(await typeOf(echo, '/pixel.png')).toBe('image/png');
    expect(await typeOf(echo, '/picture.svg')).toBe('image/svg+xml');
  });

  it('server.servlet.encoding.force states the charset of the response to an unparsable request', async () => {
    const echo = await start({ encoding: { force: true } });

    const { statuses, text } = await sendRaw(echo.url, 'nonsense\r\n\r\n');

    expect(statuses).toEqual([400]);
    expect(text).toContain('content-type: application/problem+json;charset=UTF-8\r\n');
  });

  it('a management response keeps its own charset', async () => {
    const echo = await start({ encoding: { charset: 'EUC-KR', force: true } });

    const answer = await fetch(`${echo.url}/managed`);

    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ name: '한' });
  });

  it('HEAD has the content type and length of GET', async () => {
    const { url } = await start({ encoding: { force: true } });

    const [get, head] = await Promise.all([fetch(`${url}/dated`), fetch(`${url}/dated`, { method: 'HEAD' })]);

    expect(head.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('responses in another charset', () => {
  const KOREAN = { charset: 'EUC-KR', force: true };

  it('JSON in another charset is ASCII with escapes, so it is valid UTF-8 too', async () => {
    const { url } = await start({ encoding: KOREAN });

    const answer = await fetch(`${url}/dated`);
    const bytes = Buffer.from(await answer.arrayBuffer());

    expect(answer.headers.get('content-type')).toBe('application/json;charset=EUC-KR');
    expect(bytes.toString('latin1')).toContain(String.raw`"name":"\ud55c"`);
    expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ name: '한' });
    expect(await (await fetch(`${url}/description`)).text()).toBe(String.raw`{ "title": "\ud55c", "default": null }`);
  });

  it('an error response in another charset is ASCII with escapes', async () => {
    const { url } = await start({ encoding: KOREAN });

    const answer = await fetch(`${url}/note`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: String.raw`{"text":"a","\ud55c":1}`,
    });

    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(String.raw`{"field":"\ud55c","code":"unknown"}`);
  });

  it('a page is converted to a forced charset', async () => {
    const { url } = await start({ encoding: KOREAN });

    const answer = await fetch(`${url}/page`);

    expect(answer.headers.get('content-type')).toBe('text/html;charset=EUC-KR');
    // EUC-KR has no ü.
    expect(new TextDecoder('euc-kr').decode(await answer.arrayBuffer())).toBe(PAGE.replace('ü', '?'));
  });

  it('a page keeps the charset that it states unless another one is forced', async () => {
    const { url } = await start({ encoding: { charset: 'EUC-KR' } });

    const [page, words] = await Promise.all([fetch(`${url}/page`), fetch(`${url}/words`)]);

    expect(await page.text()).toBe(PAGE);
    expect(words.headers.get('content-type')).toBe('text/plain;charset=EUC-KR');
  });
});

describe('charset of request bodies', () => {
  const LATIN = Buffer.from('{"text":"\u{fc}"}', 'latin1');
  const UTF = Buffer.from('{"text":"\u{fc}"}');

  async function note(
    encoding: Partial<EncodingProperties>,
    body: Buffer<ArrayBuffer>,
    stated?: string,
  ): Promise<[number, string]> {
    const { url } = await start({ encoding });
    const type = stated === undefined ? 'application/json' : `application/json; charset=${stated}`;
    const answer = await fetch(`${url}/note`, { method: 'POST', headers: { 'content-type': type }, body });
    return [answer.status, await answer.text()];
  }

  it('a body that states another charset than the configured one gets 415', async () => {
    expect(await note({}, LATIN, 'ISO-8859-1')).toEqual([415, expect.any(String)]);
    await service?.stop();
    expect(await note({ charset: 'ISO-8859-1' }, UTF, 'UTF-8')).toEqual([415, expect.any(String)]);
  });

  it('a forced charset overrides the one that a body states', async () => {
    expect(await note({ force: true }, UTF, 'ISO-8859-1')).toEqual([200, '{"text":"ü"}']);
    await service?.stop();
    expect(await note({ charset: 'ISO-8859-1', force: true }, LATIN, 'UTF-8')).toEqual([
      200,
      String.raw`{"text":"\u00fc"}`,
    ]);
  });

  it('force=false reads a body in the charset that it states', async () => {
    expect(await note({ force: false }, LATIN, 'iso-8859-1')).toEqual([200, '{"text":"ü"}']);
  });

  it('a body that states no charset is read in the configured one', async () => {
    expect(await note({ charset: 'ISO-8859-1' }, LATIN)).toEqual([200, String.raw`{"text":"\u00fc"}`]);
    await service?.stop();
    expect(await note({ force: false }, UTF)).toEqual([200, '{"text":"ü"}']);
  });

  it.each(['klingon', 'UTF-16', 'UTF-7', 'base64'])(
    'H2: a body that states the unsupported charset %s gets 415',
    async (stated) => {
      expect((await note({ force: false }, UTF, stated))[0]).toBe(415);
    },
  );

  it('H2: a body whose bytes are invalid in its charset gets 400', async () => {
    expect((await note({ force: true }, LATIN, 'ISO-8859-1'))[0]).toBe(400);
    await service?.stop();
    expect((await note({ charset: 'EUC-KR' }, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))[0]).toBe(400);
  });

  it('a form decodes its percent escapes in the configured charset', async () => {
    const { url } = await start({ encoding: { charset: 'EUC-KR' } });
    const form = async (body: string): Promise<Response> =>
      fetch(`${url}/form`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });

    expect(await (await form('token=%C7%D1')).json()).toEqual({ token: '한' });
    expect((await form('token=%ED%95%9C')).status).toBe(400);
  });
});

onSqlite('JSON configuration of the built service', (engine) => {
  const story = storyOn(engine, { people: 10 });
  const inKorea = ['--app.json.time-zone=Asia/Seoul', '-Duser.timezone=Asia/Seoul'];

  it('the packaged configuration sets the date format and the charset of responses', async () => {
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());

    const me = await client.get('/me', { bearer });
    const sessions = await client.get('/sessions', { bearer });
    const refused = await client.get('/me');
    const page = await client.get('/');
    const health = await client.get('/actuator/health');

    expect(me.body['auth_time']).toBe(
      new Date(story.clock.seconds * 1000).toISOString().slice(0, 19).replace('T', ' '),
    );
    expect(me.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(sessions.text).toMatch(/"created":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"/);
    expect(refused.headers.get('content-type')).toBe('application/problem+json;charset=UTF-8');
    expect(refused.body['timestamp']).toBe(new Date(story.clock.millis).toISOString());
    expect(page.headers.get('content-type')).toBe('text/html;charset=UTF-8');
    expect(health.headers.get('content-type')).toBe('application/vnd.spring-boot.actuator.v3+json');
  });

  it('app.json.time-zone applies to dates but not to error timestamps', async () => {
    await story.service.stop();
    await story.restart(inKorea);
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());
    const later = new Date(story.clock.seconds * 1000 + 9 * 3_600_000).toISOString();

    expect((await client.get('/me', { bearer })).body['auth_time']).toBe(later.slice(0, 19).replace('T', ' '));
    expect((await client.get('/me')).body['timestamp']).toBe(new Date(story.clock.millis).toISOString());
  });

  it('write-dates-as-timestamps applies if the packaged date format is cleared', async () => {
    await story.service.stop();
    await story.restart(['--app.json.date-format=', '--app.json.serialization.write-dates-as-timestamps=true']);
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());

    expect((await client.get('/me', { bearer })).body['auth_time']).toBe(story.clock.seconds * 1000);
  });

  it('an unknown letter in app.json.date-format fails startup', async () => {
    const { exitCode, stderr } = await runService({ args: ['--app.json.date-format=yyyy-MM-dd kk:mm'] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('app.json.date-format');
    expect(stderr).toContain('the pattern letter k is not supported');
  });

  it('a charset that is not ASCII-compatible fails startup', async () => {
    const { exitCode, stderr } = await runService({ args: ['--server.servlet.encoding.charset=UTF-16'] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('the character set does not extend ASCII');
  });
});
