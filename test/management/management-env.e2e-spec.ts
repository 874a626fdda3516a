import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Setting, settings } from '../config/keys/settings.js';
import type { Answer } from '../support/http/http-client.js';
import {
  managed,
  type ManagedService,
  startManaged,
  startOpenManagement,
  WITHOUT_CREDENTIALS,
} from '../support/management/management.js';
import { startService } from '../support/programs/service.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const MASK = '******';
const ALWAYS = '--management.endpoint.env.show-values=always';
const PACKAGED = "Config resource 'class path resource [application.yml]' via location 'optional:classpath:/'";

interface Shown {
  readonly value: string | number | boolean;
  readonly origin: string;
}

interface All {
  readonly activeProfiles: readonly string[];
  readonly defaultProfiles: readonly string[];
  readonly propertySources: readonly { readonly name: string; readonly properties: Readonly<Record<string, Shown>> }[];
}

interface One {
  readonly property: { readonly source: string; readonly value: Shown['value'] };
  readonly propertySources: readonly { readonly name: string; readonly property?: Shown }[];
}

const allIn = (answer: Answer): All => answer.body as unknown as All;
const oneIn = (answer: Answer): One => answer.body as unknown as One;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('env');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('the env endpoint', () => {
  let one: ManagedService;

  beforeAll(async () => {
    const cwd = folderWith({
      'config/application.yml': [
        'app.datasource.pool:',
        '  maximum-pool-size: 3',
        'my.region: eu',
        '---',
        'app.config.activate.on-profile: live',
        'my:',
        '  region: ${REGION}',
        '  place: in-${NOWHERE}',
      ].join('\n'),
    });
    one = await startOpenManagement({
      cwd,
      args: [ALWAYS, '--app.profiles.active=live', '-Dmy.region=us'],
      env: {
        REGION: 'asia',
        APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '4',
        LOGGING_LEVEL_AUTH: 'debug',
        MANAGEMENT_ENDPOINT_ENV_ROLES_0: 'ROLE_A',
        MANAGEMENT_ENDPOINT_ENV_ROLES_1_: 'ROLE_B',
      },
    });
  });

  afterAll(async () => one.stop());

  const get = (path: string): Promise<Answer> => one.stranger.get(path);

  it('lists every property source, highest precedence first', async () => {
    const { activeProfiles, defaultProfiles, propertySources } = allIn(await get('/env'));

    const file = "Config resource 'file [config/application.yml]' via location 'optional:file:./config/'";
    expect({ activeProfiles, defaultProfiles }).toEqual({ activeProfiles: ['live'], defaultProfiles: ['default'] });
    expect(propertySources.map(({ name }) => name)).toEqual([
      'server.ports',
      'commandLineArgs',
      'systemProperties',
      'systemEnvironment',
      `${file} (document #1)`,
      `${file} (document #0)`,
      PACKAGED,
    ]);
  });

  it('shows the value and the origin of each key', async () => {
    const { propertySources } = allIn(await get('/env'));
    const found = (source: RegExp, key: string): unknown =>
      propertySources.find(({ name }) => source.test(name))?.properties[key];

    expect(found(/^commandLineArgs$/, 'app.profiles.active')).toEqual({
      value: 'live',
      origin: '"app.profiles.active" from property source "commandLineArgs"',
    });
    expect(found(/^systemProperties$/, 'my.region')).toEqual({
      value: 'us',
      origin: '"my.region" from property source "systemProperties"',
    });
    expect(found(/^systemEnvironment$/, 'APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE')).toEqual({
      value: '4',
      origin: 'System Environment Property "APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE"',
    });
    expect(found(/#0\)$/, 'app.datasource.pool.maximum-pool-size')).toEqual({
      value: 3,
      origin: 'file [config/application.yml] - 2:22',
    });
    expect(found(/#1\)$/, 'my.region')).toEqual({ value: 'asia', origin: 'file [config/application.yml] - 7:11' });
    expect(found(/classpath/, 'server.port')).toMatchObject({ value: 8080 });
  });

  it('shows an unresolvable placeholder as written', async () => {
    expect(oneIn(await get('/env/my.place')).property.value).toBe('in-${NOWHERE}');
  });

  it('filters keys by a pattern that matches anywhere, and still lists every source', async () => {
    const { propertySources } = allIn(await get(`/env?pattern=${encodeURIComponent('reg[i]on$|REGION')}`));

    expect(propertySources.map(({ properties }) => Object.keys(properties))).toEqual([
      [],
      [],
      ['my.region'],
      ['REGION'],
      ['my.region'],
      ['my.region'],
      [],
    ]);
  });

  it.each([
    ['with an unclosed group', '('],
    ['with an unclosed class', '['],
    ['with a quantifier that repeats nothing', '*'],
    ['of more than 200 characters', 'a'.repeat(201)],
  ])('rejects a pattern %s', async (_, pattern) => {
    const answer = await get(`/env?pattern=${encodeURIComponent(pattern)}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'pattern', code: 'format' }] });
  });

  it('H6: rejects a pattern that takes too long, and serves other requests meanwhile', async () => {
    const slow = get(`/env?pattern=${encodeURIComponent('(\\w+\\.?[-_]?)+!')}`);
    const liveness = await get('/health/liveness');

    expect(liveness.status).toBe(200);
    expect((await slow).status).toBe(400);
  });

  it.each([
    'app.datasource.pool.maximum-pool-size',
    'app.datasource.pool.maximumPoolSize',
    'app.datasource.pool.maximum_pool_size',
    'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE',
    'APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE',
  ])('shows the key requested as %s with every source in order', async (key) => {
    const answer = await get(`/env/${key}`);

    const file = "Config resource 'file [config/application.yml]' via location 'optional:file:./config/'";
    const variable = 'System Environment Property "APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE"';
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      property: { source: 'systemEnvironment', value: '4' },
      activeProfiles: ['live'],
      defaultProfiles: ['default'],
      propertySources: [
        { name: 'server.ports' },
        { name: 'commandLineArgs' },
        { name: 'systemProperties' },
        { name: 'systemEnvironment', property: { value: '4', origin: variable } },
        { name: `${file} (document #1)` },
        { name: `${file} (document #0)`, property: { value: 3, origin: 'file [config/application.yml] - 2:22' } },
        {
          name: PACKAGED,
          property: {
            value: 10,
            origin: expect.stringMatching(/^class path resource \[application\.yml\] - \d+:26$/) as unknown,
          },
        },
      ],
    });
  });

  it.each([
    ['an entry of a map', 'logging.level.auth', 'systemEnvironment', 'debug'],
    ['an element of a list', 'management.endpoints.web.exposure.include[0]', 'commandLineArgs', '*'],
    ['a percent-encoded list element', 'management.endpoints.web.exposure.include%5B0%5D', 'commandLineArgs', '*'],
    ['a list of variables', 'management.endpoint.env.roles', 'systemEnvironment', 'ROLE_A,ROLE_B'],
    ['an element that is a variable', 'management.endpoint.env.roles[1]', 'systemEnvironment', 'ROLE_B'],
    ['the variable of an element', 'MANAGEMENT_ENDPOINT_ENV_ROLES_0', 'systemEnvironment', 'ROLE_A'],
    ['a key the service does not know', 'my.region', 'systemProperties', 'us'],
    ['a variable the service does not know', 'REGION', 'systemEnvironment', 'asia'],
  ])('shows the value of %s: %s', async (_, key, source, value) => {
    expect(oneIn(await get(`/env/${key}`)).property).toEqual({ source, value });
  });

  it.each(['app.datasource.pool', 'server.prot', 'NOBODY', 'server.ssl.bundle', '__proto__', 'a%2Fb'])(
    'returns 404 with an empty body for the key %s',
    async (key) => {
      const { status, text } = await get(`/env/${key}`);

      expect({ status, text }).toEqual({ status: 404, text: '' });
    },
  );

  it('shows the ports in use and the process id, which consoles read', async () => {
    const service = one;
    const valueOf = async (key: string): Promise<unknown> => oneIn(await get(`/env/${key}`)).property;
    const portOf = (url: string): number => Number(new URL(url).port);

    expect(await valueOf('PID')).toEqual({ source: 'server.ports', value: service.pid });
    expect(await valueOf('local.server.port')).toEqual({ source: 'server.ports', value: portOf(service.url) });
    expect(await valueOf('local.management.port')).toEqual({
      source: 'server.ports',
      value: portOf(service.stranger.baseUrl),
    });
    expect(await valueOf('server.port')).toEqual({ source: 'commandLineArgs', value: '0' });
  });
});

describe('M3: env for callers that may not see values', () => {
  it.each([
    ['show-values is not set', []],
    [
      'show-values=when-authorized and the caller is anonymous',
      ['--management.endpoint.env.show-values=when-authorized'],
    ],
  ])('env masks every value but shows keys, sources and origins when %s', async (_, args) => {
    const service = await startOpenManagement({ args, env: { MY_REGION: 'eu' } });

    const all = await service.stranger.get('/env');
    const answer = await service.stranger.get('/env/MY_REGION');
    await service.stop();

    const values = allIn(all).propertySources.flatMap(({ properties }) => Object.values(properties));
    expect(values.length).toBeGreaterThan(60);
    expect(new Set(values.map(({ value }) => value))).toEqual(new Set([MASK]));
    expect(values.map(({ origin }) => origin)).toContain('System Environment Property "MY_REGION"');
    expect(oneIn(answer).property).toEqual({ source: 'systemEnvironment', value: MASK });
  });
});

describe('M3: env and configprops with show-values=when-authorized', () => {
  it.each([
    ['show values when no role is required', '', ['4s', 'PT4S']],
    ['show values when the caller has one of the roles', 'AUDIT,MANAGEMENT', ['4s', 'PT4S']],
    ['mask values when the caller has none of the roles', 'AUDIT', [MASK, MASK]],
  ])('env and configprops %s', async (_, roles, expected) => {
    const service = await startManaged({
      args: ['env', 'configprops'].flatMap((id) => [
        `--management.endpoint.${id}.show-values=when-authorized`,
        `--management.endpoint.${id}.roles=${roles}`,
      ]),
      env: { APP_DATASOURCE_POOL_CONNECTIONTIMEOUT: '4s' },
    });

    const [one, beans] = [
      await service.operator.get('/env/app.datasource.pool.connection-timeout'),
      await service.operator.get('/configprops/app.datasource.pool'),
    ];
    await service.stop();

    const bound: unknown = /"connectionTimeout":"([^"]*)"/.exec(beans.text)?.[1];
    expect([oneIn(one).property.value, bound]).toEqual(expected);
  });
});

describe('M3, L1: env with show-values=always', () => {
  it('masks secrets, also inside URLs and behind placeholders, and logs no values', async () => {
    const secrets = {
      DB_PASSWORD: 'sesame-1-of-the-database',
      LOGIN_DB: 'sesame-2-by-another-name',
      PROXY: 'http://me:sesame-3-in-a-url@proxy.example:3128',
      OPTIONS: '-Djavax.net.ssl.keyStorePassword=sesame-4-in-options',
      MORE: '{"app":{"datasource":{"password":"sesame-5-in-a-document"}}}',
    };
    const service = await startOpenManagement({
      args: [
        ...[ALWAYS, '--logging.level.root=trace', '--app.mail.host=mail-${LOGIN_DB}'],
        '--my.url=https://me:sesame-6@h.example/?token=sesame-7',
      ],
      env: {
        ...secrets,
        MY_PLACE: 'a-place-for-all-to-see',
        APP_SECURITY_CLIENTS_SHOP_SECRET: '${LOGIN_DB}',
        APP_DATASOURCE_PASSWORD: '${DB_PASSWORD}',
      },
    });

    const answers = [await service.stranger.get('/env')];
    expect((await service.stranger.get('/env/MY_PLACE')).text).toContain('a-place-for-all-to-see');
    for (const key of [...Object.keys(secrets), 'app.mail.host', 'my.url', 'app.security.clients.shop.secret']) {
      answers.push(await service.stranger.get(`/env/${key}`));
    }
    await service.stop();

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ text }) => text.includes('sesame')).map(({ request }) => request)).toEqual([]);
    expect(answers.at(-2)?.text).toContain(`https://${MASK}@h.example/?token=${MASK}`);
    // Values that callers may see are not logged either.
    expect(service.stdout + service.stderr).not.toMatch(/sesame|a-place-for-all/);
  });
});

describe('M1: env and configprops that are not exposed', () => {
  it('env and configprops return 404 unless they are exposed', async () => {
    const service = managed(await startService({ args: WITHOUT_CREDENTIALS }));

    const answers = [
      await service.stranger.get('/env'),
      await service.stranger.get('/env/server.port'),
      await service.stranger.get('/configprops'),
      await service.stranger.get('/configprops/server'),
    ];
    await service.stop();

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

describe('GET /actuator/env/{key} for every key of the specification', () => {
  const outside = settings.filter(({ isOfDocument, isForAll }) => !isOfDocument && isForAll);
  const inFile = outside.filter(({ isFromProcessOnly }) => !isFromProcessOnly);
  const file = "Config resource 'file [config/application.yml]' via location 'optional:file:./config/' (document #0)";
  /** `startService` sets these two itself: every service runs on a free port of the loopback address. */
  const setByTest = ['server.port', 'server.address'];
  const condition = "\n---\napp.config.activate.on-profile: 'sample'\n";

  it.each<{ way: string; source: string; set: readonly Setting[]; options: Parameters<typeof startService>[0] }>([
    {
      way: 'an argument',
      source: 'commandLineArgs',
      set: outside,
      options: { args: outside.map(({ name, text }) => `--${name}=${text}`) },
    },
    {
      way: 'a variable',
      source: 'systemEnvironment',
      set: outside,
      options: { env: Object.fromEntries(outside.map(({ variable, text }) => [variable, text])) },
    },
    {
      way: 'a file',
      source: file,
      set: inFile,
      options: {
        cwd: folderWith({
          'config/application.yml': inFile.map(({ name, text }) => `${name}: '${text}'`).join('\n') + condition,
        }),
      },
    },
  ])(
    'L1: shows values set by $way, masks secrets, and lists every source in order',
    async ({ source, set, options = {} }) => {
      const cwd = options.cwd ?? folderWith({});
      writeFileSync(join(cwd, 'application-sample.yml'), '');
      const args = [ALWAYS, ...WITHOUT_CREDENTIALS.filter((arg) => !arg.startsWith('--management.server.port='))];
      const service = managed(await startService({ ...options, cwd, args: [...args, ...(options.args ?? [])] }));
      const pages = new Map<string, One>();
      const order = allIn(await service.stranger.get('/env')).propertySources;
      for (const { name } of set) pages.set(name, oneIn(await service.stranger.get(`/env/${name}`)));
      await service.stop();

      const shown = set.map(({ name }) => [name, pages.get(name)?.property] as const);
      expect(Object.fromEntries(shown)).toEqual(
        Object.fromEntries(
          set.map(({ name, text, isSecret }) => {
            const winner = setByTest.includes(name) ? 'commandLineArgs' : source;
            return [name, { source: winner, value: isSecret ? MASK : text }];
          }),
        ),
      );
      const holders = (name: string): readonly string[] =>
        (pages.get(name)?.propertySources ?? []).filter(({ property }) => property).map((held) => held.name);
      const packaged = order.at(-1);
      expect(packaged?.name).toBe(PACKAGED);
      expect(Object.fromEntries(set.map(({ name }) => [name, holders(name)]))).toEqual(
        Object.fromEntries(
          set.map(({ name }) => [
            name,
            [
              ...new Set([...(setByTest.includes(name) ? ['commandLineArgs'] : []), source]),
              ...(packaged && name in packaged.properties ? [PACKAGED] : []),
            ],
          ]),
        ),
      );
      expect([...pages.values()].map(({ propertySources }) => propertySources.length)).toEqual(
        set.map(() => order.length),
      );
    },
  );
});
