import { describe, expect, it } from 'vitest';
import { reading, type Situation } from './situation.js';

function complaints(situation: Situation): readonly string[] {
  return reading(situation).problems.map(({ what }) => what);
}

describe('variables with a wrong first word', () => {
  it.each([
    ['MANAGMENT_SERVER_PORT', 'MANAGEMENT_SERVER_PORT'],
    ['SEVER_PORT', 'SERVER_PORT'],
    ['SERVERPORT', 'SERVER_PORT'],
    ['LOGING_FILE_NAME', 'LOGGING_FILE_NAME'],
    ['APPPROFILES_ACTIVE', 'APP_PROFILES_ACTIVE'],
    ['SPRING_PROFILES_ACTIVE', 'APP_PROFILES_ACTIVE'],
    ['SPRING_DATASOURCE_URL', 'APP_DATASOURCE_URL'],
  ])('C4: the variable %s gives a warning that suggests %s', (variable, meant) => {
    expect(reading({ variables: { [variable]: 'x' } }).warnings).toEqual([
      `The environment variable ${variable} sets no key of this service; did you mean ${meant}?`,
    ]);
  });

  it.each([
    'PATH',
    'HOME',
    'APPDATA',
    'SERVICE_HOST',
    'SERVERLESS',
    'MANAGER_PORT',
    'SPRING_MAIN_BANNER_MODE',
    'LOGNAME',
  ])('C4: the variable %s of another program gives no warning', (variable) => {
    expect(reading({ variables: { [variable]: 'x' } }).warnings).toEqual([]);
  });
});

describe('unknown keys below a prefix of the service', () => {
  it.each<[string, Situation]>([
    ['a YAML file', { files: { 'application.yml': 'server.prot: 8080' } }],
    ['a .properties file', { files: { 'application.properties': 'server.prot=8080' } }],
    ['a packaged file', { packaged: { 'application.yml': 'server.prot: 8080' } }],
    ['a profile file', { files: { 'application-x.yml': 'server.prot: 8080' }, args: ['--app.profiles.active=x'] }],
    ['the command line', { args: ['--server.prot=8080'] }],
    ['a -D argument', { args: ['-Dserver.prot=8080'] }],
  ])('an unknown key from %s prevents startup, and the error suggests the nearest name', (_, situation) => {
    const { problems } = reading(situation);

    expect(problems.map(({ what }) => what)).toEqual(['The key server.prot is unknown']);
    expect(problems[0]?.action).toContain('Did you mean server.port?');
  });

  it.each(['app', 'server', 'management', 'logging', 'mapper'])(
    'an unknown key below %s prevents startup',
    (prefix) => {
      expect(complaints({ args: [`--${prefix}.nobody-knows-this-one=1`] })).toHaveLength(1);
    },
  );

  it('one report lists all unknown keys', () => {
    const situation: Situation = {
      files: { 'application.yml': 'server:\n  prot: 1\n  adress: x\nlogging.levels.root: info\n' },
      args: ['--management.server.prt=1'],
    };

    expect(complaints(situation)).toEqual([
      'The key management.server.prt is unknown',
      'The key server.prot is unknown',
      'The key server.adress is unknown',
      'The key logging.levels.root is unknown',
    ]);
  });

  it('the report does not repeat the value of an unknown key, which may be a password', () => {
    const { problems } = reading({ args: ['--app.datasource.pasword=geheim'] });

    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('geheim');
  });

  it.each([
    ['a value for a section', '--server=x', 'server is a section and takes no value'],
    ['a value for a map', '--logging.level=debug', 'logging.level is a section and takes no value'],
    ['a value for an object', '--app.ssl.bundle.pem.web=x', 'app.ssl.bundle.pem.web is a section and takes no value'],
    ['a list for a number', '--server.port[0]=1', 'The key server.port[0] is unknown'],
    ['a key below a number', '--server.port.number=1', 'The key server.port.number is unknown'],
    [
      'a key below a list',
      '--management.endpoints.web.exposure.include.x=1',
      'The key management.endpoints.web.exposure.include.x is unknown',
    ],
    ['a property that every object has', '--server.constructor=1', 'The key server.constructor is unknown'],
    ['another property that every object has', '--app.__proto__.x=1', 'The key app.__proto__.x is unknown'],
  ])('%s is rejected', (_, argument, what) => {
    expect(complaints({ args: [argument] })).toEqual([what]);
  });

  it('app.config.unknown-keys turns an unknown key into a warning or ignores it', () => {
    const files = { 'application.yml': 'server.prot: 1' };
    const warned = reading({ files, args: ['--app.config.unknown-keys=warn'] });
    const ignored = reading({ files, variables: { APP_CONFIG_UNKNOWNKEYS: 'ignore' } });

    expect(warned.problems).toEqual([]);
    expect(warned.warnings).toEqual([
      expect.stringMatching(/^The key server\.prot is unknown\. Did you mean server\.port\?/),
    ]);
    expect([ignored.problems, ignored.warnings]).toEqual([[], []]);
  });

  it('an unknown key prevents startup when app.config.unknown-keys is invalid', () => {
    expect(complaints({ args: ['--app.config.unknown-keys=perhaps', '--server.prot=1'] })).toEqual([
      'The value of app.config.unknown-keys cannot be used',
      'The key server.prot is unknown',
    ]);
  });
});

describe('foreign keys', () => {
  it.each(['my.own', 'port', 'serverx.port', 'application.name', 'http.agent', 'user.dir', 'java.io.tmpdir'])(
    'the foreign key %s is ignored',
    (name) => {
      const read = reading({ files: { 'application.yml': `${name}: x` }, args: [`-D${name}=y`] });

      expect([read.problems, read.warnings]).toEqual([[], []]);
    },
  );
});

describe('unknown environment variables', () => {
  it.each([
    ['SERVER_PROT', 'SERVER_PORT'],
    ['APP_DATASOURCE_PASWORD', 'APP_DATASOURCE_PASSWORD'],
    ['MANAGEMENT_SERVER_PORTS', 'MANAGEMENT_SERVER_PORT'],
    ['server_prot', 'SERVER_PORT'],
    ['SERVER__PORT', 'SERVER_PORT'],
    ['APP_DATASOURCE_POOL_MAXIMUM_POOLSIZE', 'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE'],
  ])('the variable %s gives a warning that suggests %s', (name, near) => {
    const read = reading({ variables: { [name]: 'geheim' } });

    expect(read.problems).toEqual([]);
    expect(read.warnings).toEqual([
      `The environment variable ${name} sets no key of this service; did you mean ${near}?`,
    ]);
  });

  it('a variable unlike every key gives a warning without a suggestion', () => {
    expect(reading({ variables: { SERVER_SOFTWARE_OF_SOMEBODY_ELSE: 'x' } }).warnings).toEqual([
      'The environment variable SERVER_SOFTWARE_OF_SOMEBODY_ELSE sets no key of this service',
    ]);
  });

  it.each(['SERVER', 'APP', 'APPS_HOME', 'PATH', 'LOGGING', '_SERVERX_PORT', 'HOSTNAME'])(
    'the foreign variable %s is ignored',
    (name) => {
      const read = reading({ variables: { [name]: 'x' } });

      expect([read.problems, read.warnings]).toEqual([[], []]);
    },
  );

  it('APP_APPLICATION_JSON is ignored with one warning', () => {
    const read = reading({ variables: { APP_APPLICATION_JSON: '{"server":{"port":1}}' } });

    expect(read.problems).toEqual([]);
    expect(read.warnings).toEqual(['APP_APPLICATION_JSON is not supported: use variables, files or arguments']);
  });
});

describe('variables with the same key', () => {
  it('two variables of one key give a warning that names the effective one', () => {
    const variables = { APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE: '11', APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE: '12' };

    expect(reading({ variables }).warnings).toContain(
      'The environment variables APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE and APP_DATASOURCE_POOL_MAXIMUM_POOL_SIZE set the same key: ' +
        'APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE takes precedence',
    );
  });

  it('variables of different keys give no warning', () => {
    expect(reading({ variables: { SERVER_PORT: '1', SERVER_ADDRESS: '127.0.0.1' } }).warnings).toEqual([]);
  });
});
