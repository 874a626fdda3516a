import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/http/http-client.js';
import { type ManagedService, startOpenManagement } from '../support/management/management.js';

const MASK = '******';

interface Page {
  readonly contexts: Readonly<
    Record<
      string,
      { readonly beans: Readonly<Record<string, { readonly prefix: string; readonly properties: object }>> }
    >
  >;
}

function beansIn({ body }: Answer): Page['contexts'][string]['beans'] {
  const { contexts } = body as unknown as Page;
  expect(Object.keys(contexts)).toEqual(['login-service']);
  return contexts['login-service']?.beans ?? {};
}

describe('configprops', () => {
  let shown: ManagedService;

  beforeAll(async () => {
    shown = await startOpenManagement({
      args: ['--management.endpoint.configprops.show-values=always', '--app.mail.host=relay-${LOGIN_DB}'],
      env: {
        APP_DATASOURCE_POOL_CONNECTIONTIMEOUT: '4s',
        APP_DATASOURCE_POOL_MINIMUMIDLE: '2',
        APP_DATASOURCE_POOL_IDLETIMEOUT: '5s',
        LOGIN_DB: 'sesame-of-the-database',
        APP_DATASOURCE_PASSWORD: '${LOGIN_DB}',
        APP_SECURITY_CLIENTS_SHOP_SECRET: 'sesame-of-the-shop',
      },
    });
  });

  afterAll(async () => shown.stop());

  it('lists the beans of all prefixes with values and origins', async () => {
    const answer = await shown.stranger.get('/configprops');

    const beans = beansIn(answer);
    expect(answer.status).toBe(200);
    expect(Object.keys(beans).length).toBeGreaterThan(50);
    expect(beans['server.servlet.encoding-EncodingProperties']).toEqual({
      prefix: 'server.servlet.encoding',
      properties: { charset: 'UTF-8', force: true },
      inputs: {
        charset: {
          value: 'UTF-8',
          origin: expect.stringMatching(/^class path resource \[application\.yml\] - \d+:16$/) as unknown,
        },
        force: {
          value: true,
          origin: expect.stringMatching(/^class path resource \[application\.yml\] - \d+:14$/) as unknown,
        },
      },
    });
  });

  it('shows the beans below one prefix with origins and with notes on keys without effect', async () => {
    const beans = beansIn(await shown.stranger.get('/configprops/app.datasource'));

    expect(Object.keys(beans)).toEqual([
      'app.datasource-DatasourceProperties',
      'app.datasource.migration-MigrationAccountProperties',
      'app.datasource.pool-PoolProperties',
    ]);
    expect(beans['app.datasource-DatasourceProperties']).toMatchObject({
      properties: { url: 'jdbc:sqlite:./data/login.db' },
      inputs: { url: {}, driverClassName: { effect: 'A', note: expect.stringContaining('URL') as unknown } },
    });
    expect(beans['app.datasource.pool-PoolProperties']).toMatchObject({
      // The first value is set, the others are defaults.
      properties: { connectionTimeout: 'PT4S', validationTimeout: 'PT1S', maximumPoolSize: 10 },
      inputs: {
        connectionTimeout: {
          value: '4s',
          origin: 'System Environment Property "APP_DATASOURCE_POOL_CONNECTIONTIMEOUT"',
        },
      },
    });
  });

  it.each(['nobody', 'app.datasource.pool.maximum-pool-size', 'App.datasource'])(
    'returns 404 with an empty body for the unknown prefix %s',
    async (prefix) => {
      const { status, text } = await shown.stranger.get(`/configprops/${prefix}`);

      expect({ status, text }).toEqual({ status: 404, text: '' });
    },
  );

  it('shows the value in force in place of one that the pool cannot use, with the reason', async () => {
    const { properties, inputs } = beansIn(await shown.stranger.get('/configprops/app.datasource.pool'))[
      'app.datasource.pool-PoolProperties'
    ] as unknown as Readonly<Record<'properties' | 'inputs', unknown>>;

    expect(properties).toMatchObject({ minimumIdle: 2, idleTimeout: 'PT10M', connectionTimeout: 'PT4S' });
    expect(inputs).toMatchObject({
      idleTimeout: { value: '5s', note: 'below 10000 ms, so the default is used' },
    });
  });

  it('M3, L1: masks secrets and values resolved from secrets', async () => {
    const answer = await shown.stranger.get('/configprops/app');

    const beans = beansIn(answer);
    expect(answer.text).not.toContain('sesame');
    expect(beans['app.datasource-DatasourceProperties']?.properties).toMatchObject({ password: MASK });
    expect(beans['app.security-ClientsProperties']?.properties).toMatchObject({ clients: { shop: { secret: MASK } } });
    expect(beans['app.mail-MailProperties']?.properties).toMatchObject({ host: MASK });
  });
});

describe('M3: configprops for callers that may not see values', () => {
  it.each([
    ['show-values is not set', []],
    [
      'show-values=when-authorized and the caller is anonymous',
      ['--management.endpoint.configprops.show-values=when-authorized'],
    ],
  ])('configprops masks every value when %s', async (_, args) => {
    const service = await startOpenManagement({ args });

    const answer = await service.stranger.get('/configprops/server.servlet');
    await service.stop();

    expect(beansIn(answer)).toEqual({
      'server.servlet-ServletProperties': {
        prefix: 'server.servlet',
        properties: { contextPath: MASK },
        inputs: { contextPath: {} },
      },
      'server.servlet.encoding-EncodingProperties': {
        prefix: 'server.servlet.encoding',
        properties: { charset: MASK, force: MASK },
        inputs: {
          charset: { value: MASK, origin: expect.stringMatching(/^class path resource/) as unknown },
          force: { value: MASK, origin: expect.stringMatching(/^class path resource/) as unknown },
        },
      },
    });
  });
});
