import { describe, expect, it } from 'vitest';
import { Inspection } from '../../../src/config/show/inspection.js';
import { viewOfKey } from '../../../src/apps/cli/config/config-view.js';
import { reading, type Situation } from '../keys/situation.js';

interface Found {
  /** `value from source` of the effective value. */
  readonly effective: string | undefined;
  /** `value at origin`, highest first. */
  readonly all: readonly string[];
}

function find(situation: Situation, name: string): Found | undefined {
  const { environment, registry } = reading(situation);
  const found = new Inspection(environment, registry).find(name);
  return (
    found && {
      effective: found.effective && `${found.effective.value} from ${found.effective.source.name}`,
      all: Array.from(found.bySource.values(), ({ value, origin }) => `${value} at ${origin}`),
    }
  );
}

const KEY = 'management.endpoints.web.exposure.include';

describe('inspection of one key', () => {
  it.each([
    'app.datasource.pool.maximum-pool-size',
    'app.datasource.pool.maximumPoolSize',
    'app.datasource.pool.maximum_pool_size',
    'APP.DATASOURCE.POOL.MAXIMUMPOOLSIZE',
    'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE',
    'APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE',
    'app_datasource_pool_maximum_pool_size',
  ])('finds a key as %s that is set in three other spellings', (name) => {
    const situation = {
      args: ['--app.datasource.pool.maximumPoolSize=3'],
      variables: { APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '2' },
      files: { 'application.yml': 'app.datasource.pool.maximum_pool_size: 1' },
    };

    expect(find(situation, name)).toEqual({
      effective: '3 from commandLineArgs',
      all: [
        '3 at "app.datasource.pool.maximumPoolSize" from property source "commandLineArgs"',
        '2 at System Environment Property "APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE"',
        '1 at file [application.yml] - 1:40',
      ],
    });
  });

  it('the inspection shows the effective one of two variables of one key', () => {
    const variables = { SERVER_SHUTDOWN_PRE_DRAIN: '1s', SERVER_SHUTDOWNPREDRAIN: '2s' };

    expect(find({ variables }, 'server.shutdown-pre-drain')?.all).toEqual([
      '2s at System Environment Property "SERVER_SHUTDOWNPREDRAIN"',
    ]);
  });

  it('C4: an empty key shows its effective default with a note', () => {
    const { environment, registry } = reading({ variables: { SERVER_PORT: '' }, args: ['-Dserver.shutdown='] });
    const inspection = new Inspection(environment, registry);

    expect(inspection.find('server.port')?.effective).toMatchObject({
      value: '8080',
      note: 'empty text means the default',
    });
    expect(inspection.find('server.shutdown')?.effective).toMatchObject({ value: 'graceful' });
    expect(find({ variables: { SERVER_PORT: '' } }, 'server.port')?.all).toEqual([
      ' at System Environment Property "SERVER_PORT"',
    ]);
  });

  it('the key user.timezone includes the variable TZ', () => {
    const situation = { args: ['-Duser.timezone=Europe/Berlin'], variables: { TZ: 'UTC' } };
    const expected = {
      effective: 'Europe/Berlin from systemProperties',
      all: [
        'Europe/Berlin at "user.timezone" from property source "systemProperties"',
        'UTC at System Environment Property "TZ"',
      ],
    };

    expect(find(situation, 'user.timezone')).toEqual(expected);
    expect(find(situation, 'TZ')).toEqual(expected);
  });

  it.each(['server.port', 'server', 'logging.level.nobody', 'nobody.knows', 'NOBODY', '', '.', '[', '__proto__'])(
    'does not find a key that no source sets: %j',
    (name) => {
      expect(find({}, name)).toBeUndefined();
    },
  );

  it.each(['MY_REGION', 'my.region', 'my.Region'])('finds an unregistered key as %s', (name) => {
    expect(find({ args: ['--my.region=us'], variables: { MY_REGION: 'eu' } }, name)).toEqual({
      effective: 'us from commandLineArgs',
      all: [
        'us at "my.region" from property source "commandLineArgs"',
        'eu at System Environment Property "MY_REGION"',
      ],
    });
  });

  it.each([
    ['FREE_TWO_PART', { variables: { FREE_TWO_PART: 'x' } }],
    ['free.two-part', { variables: { FREE_TWO_PART: 'x' } }],
    ['free_two_part', { variables: { FREE_TWO_PART: 'x' } }],
    ['free.two-part', { variables: { FREE_TWOPART: 'x' } }],
    ['free.two-part', { files: { 'application.yml': 'free.twoPart: x' } }],
    ['free.two-part', { files: { 'application.yml': 'free.two_part: [x]' } }],
    ['free.two-part[0]', { files: { 'application.yml': 'free.two_part: [x]' } }],
    ['SERVER__PORT', { variables: { SERVER__PORT: 'x' } }],
  ])('C3: a placeholder, the page and config get find %s in %o', (name, situation: Situation) => {
    const { environment, registry } = reading(situation);

    expect(environment.fill(`\${${name}}`)).toMatchObject({ kind: 'filled', text: 'x' });
    expect(find(situation, name)?.effective).toMatch(/^x from /);
    expect(viewOfKey(environment, registry, name)).toMatchObject({
      isFound: true,
      lines: expect.arrayContaining([`${name} = x`]) as string[],
    });
  });

  it('C3: config get masks the values that the page masks', () => {
    const { environment, registry } = reading({ variables: { BASIC_AUTHORIZATION: 'x', MY_PASS: 'y' } });

    const lines = ['BASIC_AUTHORIZATION', 'MY_PASS'].map((name) => viewOfKey(environment, registry, name).lines[0]);

    expect(lines).toEqual(['BASIC_AUTHORIZATION = ******', 'MY_PASS = ******']);
  });

  it('an unregistered variable with a name like a registered key is found by its own name only', () => {
    const variables = { SERVER__PORT: '7' };

    expect(find({ variables }, 'SERVER__PORT')?.effective).toBe('7 from systemEnvironment');
    expect(find({ variables }, 'server.port')).toBeUndefined();
  });
});

describe('inspection of lists', () => {
  const yaml = { 'application.yml': `${KEY}:\n  - health\n  - info\n` };

  it('a list is shown as comma text, however it was written', () => {
    expect(find({ files: yaml }, KEY)?.all).toEqual(['health,info at file [application.yml] - 2:5']);
    expect(find({ args: [`--${KEY}=health,info`] }, KEY)?.effective).toBe('health,info from commandLineArgs');
  });

  it('an element of a list has its own origin in a sequence', () => {
    expect(find({ files: yaml }, `${KEY}[1]`)?.all).toEqual(['info at file [application.yml] - 3:5']);
    expect(find({ variables: { [variable(KEY)]: 'health, info' } }, `${variable(KEY)}_1`)?.effective).toBe(
      'info from systemEnvironment',
    );
  });

  it('elements of a lower source are not effective', () => {
    const situation = { args: [`--${KEY}=env`], files: yaml };

    expect(find(situation, `${KEY}[0]`)?.effective).toBe('env from commandLineArgs');
    expect(find(situation, `${KEY}[1]`)).toEqual({
      effective: undefined,
      all: ['info at file [application.yml] - 3:5'],
    });
    expect(find(situation, `${KEY}[2]`)).toBeUndefined();
  });

  it('a list that adds up shows the sum, and each source shows its share', () => {
    const situation = {
      args: ['--app.profiles.include=b'],
      files: { 'application.yml': 'app.profiles.include: a', 'application-a.yml': '', 'application-b.yml': '' },
    };

    expect(find(situation, 'app.profiles.include')).toMatchObject({
      effective: 'a,b from commandLineArgs',
      all: [expect.stringMatching(/^b at /), expect.stringMatching(/^a at /)],
    });
  });
});

describe('inspection of maps and named objects', () => {
  it.each(['logging.level.auth.mfa', 'LOGGING_LEVEL_AUTH_MFA', 'logging.level.[auth.mfa]', 'logging.level.Auth.MFA'])(
    'finds an entry of a map as %s',
    (name) => {
      const situation = {
        variables: { LOGGING_LEVEL_AUTH_MFA: 'debug' },
        files: { 'application.yml': 'logging.level.auth.mfa: info' },
      };

      expect(find(situation, name)?.all).toEqual([
        'debug at System Environment Property "LOGGING_LEVEL_AUTH_MFA"',
        'info at file [application.yml] - 1:25',
      ]);
    },
  );

  it.each(['app.security.clients.shop.secret', 'APP_SECURITY_CLIENTS_SHOP_SECRET'])(
    'finds a member of a named object as %s',
    (name) => {
      const situation = { files: { 'application.yml': 'app.security.clients.shop.secret: sesame-sesame-sesame' } };

      expect(find(situation, name)?.effective).toMatch(/^\*{6} from Config resource 'file \[application\.yml\]'/);
    },
  );
});

function variable(key: string): string {
  return key.toUpperCase().replaceAll('.', '_');
}
