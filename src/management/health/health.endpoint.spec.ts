import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { moduleLoader } from '../../../test/support/management/module-loader.js';
import { reading } from '../../../test/config/keys/situation.js';
import { Configuration } from '../../config/configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';
import type { PropertiesClass } from '../../config/bind/properties-class.js';
import { Availability } from '../../observability/health/availability.js';
import { type HealthComponent, HealthComponents } from '../../observability/health/health-components.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { Operator } from '../../kernel/principal/operator.js';
import { JSON_PLAIN, JSON_V2 } from '../dispatch/negotiation.js';
import type { Result } from '../dispatch/operation.js';
import { HealthEvaluator } from './health-evaluator.service.js';
import { HealthChecks } from './health-checks.service.js';
import { HealthGroups } from './health-groups.service.js';
import { HealthEndpoint } from './health.endpoint.js';
import { EnabledComponents } from './enabled-components.service.js';
import { DiskSpaceIndicator, ProcessIndicators } from './process.indicator.js';
import { HealthEndpointProperties, HealthSwitchProperties, ProbesProperties } from './health.properties.js';

const OPERATOR: Operator = { name: 'operator', roles: ['ROLE_MANAGEMENT'] };

interface Caller {
  readonly operator?: Operator;
  readonly mediaType?: string;
}

function up(name: string, details?: Readonly<Record<string, unknown>>): HealthComponent {
  return { name, check: () => ({ status: 'UP', ...(details && { details }) }) };
}

function down(name: string): HealthComponent {
  return { name, check: () => ({ status: 'DOWN', description: 'cable cut', details: { error: 'Error: cut' } }) };
}

/** The endpoint of this configuration, with the components that the service would add. */
function endpoint(keys: Readonly<Record<string, string>>, components: readonly HealthComponent[] = []) {
  const args = Object.entries({ 'management.health.diskspace.enabled': 'false', ...keys }).map(
    ([key, value]) => `--${key.startsWith('management.') ? key : `management.endpoint.health.${key}`}=${value}`,
  );
  const read = reading({ args });
  if (read.problems.length > 0) throw new ConfigurationFailure(read.problems);
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const get = <T extends object>(type: PropertiesClass<T>): T => configuration.get(type);
  const lines: string[] = [];
  const loggers = new Loggers([{ append: ({ message }) => lines.push(message) }]);
  const added = new HealthComponents();
  added.add(...components);
  const availability = new Availability();
  new ProcessIndicators(added, availability, get(ProbesProperties));
  new DiskSpaceIndicator(get(HealthSwitchProperties), added);
  const present = new EnabledComponents(added, get(HealthSwitchProperties));
  const groups = new HealthGroups(
    get(HealthEndpointProperties),
    get(ProbesProperties),
    present,
    configuration,
    loggers,
  );
  const checks = new HealthChecks(get(HealthEndpointProperties), new ManualClock(), moduleLoader, loggers);
  const { operations } = new HealthEndpoint(groups, new HealthEvaluator(present, checks));
  const ask = async (path = '', { operator, mediaType = JSON_PLAIN }: Caller = {}): Promise<Result> => {
    const operation = operations.find(({ pathTemplate }) => (pathTemplate === '') === (path === ''));
    const request = {
      selector: path,
      query: new URLSearchParams(),
      wantsBody: true,
      body: {},
      url: '',
      headers: {},
      operator,
      mediaType,
    };
    return (await operation?.run(request)) ?? {};
  };
  return { ask, groups, availability, lines };
}

const NOT_THERE = { status: 404 };
const STORES: HealthComponent = {
  name: 'stores',
  parts: [up('main', { rows: 7 }), { name: 'far', parts: [down('west')] }],
};

describe('3.1 the overall health', () => {
  it('shows only status and groups by default', async () => {
    expect(await endpoint({}, [up('a')]).ask()).toEqual({ status: 200, body: { status: 'UP' } });
    expect(await endpoint({ 'probes.enabled': 'true' }, [down('a')]).ask()).toEqual({
      status: 503,
      body: { status: 'DOWN', groups: ['liveness', 'readiness'] },
    });
  });

  it('shows components by name with their details and nested parts', async () => {
    const { ask } = endpoint({ 'show-details': 'always' }, [STORES, up('archive')]);

    const { status, body } = await ask();

    expect(status).toBe(503);
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        status: 'DOWN',
        components: {
          archive: { status: 'UP' },
          ping: { status: 'UP' },
          stores: {
            status: 'DOWN',
            components: {
              far: {
                status: 'DOWN',
                components: { west: { status: 'DOWN', description: 'cable cut', details: { error: 'Error: cut' } } },
              },
              main: { status: 'UP', details: { rows: 7 } },
            },
          },
        },
      }),
    );
  });

  it('is UP without any indicator', async () => {
    expect(await endpoint({ 'management.health.defaults.enabled': 'false' }).ask()).toEqual({
      status: 200,
      body: { status: 'UP' },
    });
  });
});

describe('3.2 a path below health', () => {
  it('returns a component and its parts', async () => {
    const { ask } = endpoint({ 'show-details': 'always' }, [STORES]);

    expect(await ask('ping')).toEqual({ status: 200, body: { status: 'UP' } });
    expect(await ask('stores/main')).toEqual({ status: 200, body: { status: 'UP', details: { rows: 7 } } });
    expect(await ask('stores/far/west')).toMatchObject({ status: 503, body: { status: 'DOWN' } });
    expect(await ask('stores/far')).toMatchObject({ status: 503, body: { components: { west: { status: 'DOWN' } } } });
  });

  it.each(['nothing', 'ping/more', 'stores/nothing', 'stores/', '/ping', 'Ping', 'constructor', 'stores//main'])(
    'responds with 404 for the unknown path %s',
    async (path) => {
      expect(await endpoint({ 'show-details': 'always' }, [STORES]).ask(path)).toEqual(NOT_THERE);
    },
  );

  it('responds with 404 if components are hidden, but returns groups', async () => {
    const { ask } = endpoint({ 'group.mine.include': 'ping' }, [STORES]);

    expect(await ask('ping')).toEqual(NOT_THERE);
    expect(await ask('mine/ping')).toEqual(NOT_THERE);
    expect(await ask('mine')).toEqual({ status: 200, body: { status: 'UP' } });
  });

  it('returns members of a group only below the group', async () => {
    const { ask } = endpoint({ 'show-details': 'always', 'group.mine.include': 'stores/main' }, [STORES]);

    expect(await ask('mine/stores/main')).toMatchObject({ status: 200, body: { status: 'UP' } });
    expect(await ask('mine/stores/far')).toEqual(NOT_THERE);
    expect(await ask('mine/ping')).toEqual(NOT_THERE);
  });

  it('prefers a group to a component of the same name and logs that at startup', async () => {
    const made = endpoint({ 'show-details': 'always', 'group.stores.include': 'ping' }, [STORES]);

    expect(await made.ask('stores')).toEqual({
      status: 200,
      body: { status: 'UP', components: { ping: { status: 'UP' } } },
    });
    made.groups.onModuleInit();

    expect(made.lines).toEqual(['The health group stores hides the component of the same name at health/stores']);
  });
});

describe('3.3 visibility of health', () => {
  const keys = { 'show-details': 'when-authorized', roles: 'MANAGEMENT' };

  it('M2 shows only the status to callers that are anonymous or lack the role', async () => {
    const { ask } = endpoint(keys, [up('a', { seen: true })]);

    expect((await ask()).body).toEqual({ status: 'UP' });
    expect((await ask('', { operator: { name: 'user', roles: ['ROLE_USER'] } })).body).toEqual({ status: 'UP' });
    expect(await ask('a', { operator: { name: 'user', roles: ['ROLE_USER'] } })).toEqual(NOT_THERE);
  });

  it('shows components and details to callers with the role', async () => {
    const { ask } = endpoint(keys, [up('a', { seen: true })]);

    expect((await ask('', { operator: OPERATOR })).body).toEqual({
      status: 'UP',
      components: { a: { status: 'UP', details: { seen: true } }, ping: { status: 'UP' } },
    });
    expect((await ask('a', { operator: OPERATOR })).body).toEqual({ status: 'UP', details: { seen: true } });
  });

  it('shows only the status of components whose details are hidden', async () => {
    const { ask } = endpoint({ 'show-components': 'always' }, [down('a')]);

    expect((await ask()).body).toEqual({
      status: 'DOWN',
      components: { a: { status: 'DOWN' }, ping: { status: 'UP' } },
    });
    expect(await ask('a')).toEqual({ status: 503, body: { status: 'DOWN' } });
  });
});

describe('3.4 health statuses', () => {
  it('a configured HTTP mapping replaces the default mapping', async () => {
    const { ask } = endpoint({ 'show-details': 'always', 'status.http-mapping.out-of-service': '418' }, [
      down('a'),
      { name: 'b', check: () => ({ status: 'OUT_OF_SERVICE' }) },
    ]);

    expect((await ask('a')).status).toBe(200);
    expect((await ask('b')).status).toBe(418);
  });

  it('the configured order decides the overall status', async () => {
    const { ask } = endpoint({ 'status.order': 'fatal,up' }, [
      down('a'),
      { name: 'b', check: () => ({ status: 'FATAL' }) },
    ]);

    expect(await ask()).toEqual({ status: 200, body: { status: 'FATAL' } });
  });
});

describe('3.5 a health group', () => {
  it('has its own members, visibility, roles, order and HTTP statuses', async () => {
    const { ask } = endpoint(
      {
        'group.mine.include': '*',
        'group.mine.exclude': 'ping,stores/far',
        'group.mine.show-components': 'when-authorized',
        'group.mine.show-details': 'never',
        'group.mine.roles': 'MANAGEMENT',
        'group.mine.status.order': 'UP,DOWN',
        'group.mine.status.http-mapping.up': '299',
      },
      [STORES, down('a')],
    );

    expect(await ask('mine', { operator: OPERATOR })).toEqual({
      status: 299,
      body: {
        status: 'UP',
        components: { a: { status: 'DOWN' }, stores: { status: 'UP', components: { main: { status: 'UP' } } } },
      },
    });
    expect((await ask('mine')).body).toEqual({ status: 'UP' });
    expect((await ask()).body).toEqual({ status: 'DOWN', groups: ['mine'] });
  });

  it('responds with 404 if all of its members are unknown', async () => {
    const made = endpoint({ 'group.mine.include': 'dba', 'validate-group-membership': 'false' });

    expect(await made.ask('mine')).toEqual(NOT_THERE);
  });

  it('omits a disabled component and logs that at startup', async () => {
    const made = endpoint({ 'group.mine.include': 'ping,db', 'management.health.db.enabled': 'false' }, [down('db')]);

    made.groups.onModuleInit();

    expect(made.lines).toEqual(['The health group mine omits db: disabled']);
    expect((await made.ask('mine')).body).toEqual({ status: 'UP' });
  });

  it.each([
    '/healthz',
    'healthz',
    'main:/healthz',
    'server:healthz',
    'server:/',
    'server:/a/b',
    'server:/..',
    'server:/*',
  ])('rejects the additional path %s', (path) => {
    expect(() => endpoint({ 'group.a.additional-path': path })).toThrow(ConfigurationFailure);
  });
});

describe('3.6 the health probes', () => {
  const keys = { 'probes.enabled': 'true', 'show-details': 'always' };

  it.each([
    ['starting', [503, 'DOWN'], [503, 'OUT_OF_SERVICE']],
    ['started', [200, 'UP'], [503, 'OUT_OF_SERVICE']],
    ['ready', [200, 'UP'], [200, 'UP']],
    ['stopping', [200, 'UP'], [503, 'OUT_OF_SERVICE']],
  ] as const)(
    'the probes of a service that is %s return liveness %j and readiness %j',
    async (phase, liveness, readiness) => {
      const { ask, availability } = endpoint(keys);

      if (phase !== 'starting') availability[phase](() => true);

      expect(await ask('liveness')).toEqual({ status: liveness[0], body: { status: liveness[1] } });
      expect(await ask('readiness')).toEqual({ status: readiness[0], body: { status: readiness[1] } });
      expect((await ask('livenessState')).body).toEqual({ status: liveness[1] });
      expect((await ask('readinessState')).body).toEqual({ status: readiness[1] });
    },
  );

  it('respond with 404 unless they are enabled', async () => {
    const { ask } = endpoint({ 'show-details': 'always' });

    for (const path of ['liveness', 'readiness', 'livenessState', 'readinessState']) {
      expect(await ask(path), path).toEqual(NOT_THERE);
    }
  });

  it('exclude other systems from liveness in any configuration and log that at startup', async () => {
    const external: HealthComponent = { name: 'db', isExternal: true, check: () => ({ status: 'DOWN' }) };
    const made = endpoint({ ...keys, 'group.liveness.include': 'ping,db', 'group.readiness.include': 'db' }, [
      external,
    ]);

    made.groups.onModuleInit();

    expect(await made.ask('liveness')).toEqual({
      status: 200,
      body: { status: 'UP', components: { ping: { status: 'UP' } } },
    });
    expect((await made.ask('readiness')).status).toBe(503);
    expect(made.lines).toEqual([
      'The health group liveness omits db: a restart would not end the outage of another system',
    ]);
  });
});

it('3.7 health in the v2 media type nests components under details', async () => {
  const { ask } = endpoint({ 'show-details': 'always', 'probes.enabled': 'true' }, [STORES]);

  const { body } = await ask('', { mediaType: JSON_V2 });

  expect(body).toEqual({
    status: 'DOWN',
    details: {
      livenessState: { status: 'DOWN' },
      ping: { status: 'UP' },
      readinessState: { status: 'OUT_OF_SERVICE' },
      stores: {
        status: 'DOWN',
        details: {
          far: {
            status: 'DOWN',
            details: { west: { status: 'DOWN', description: 'cable cut', details: { error: 'Error: cut' } } },
          },
          main: { status: 'UP', details: { rows: 7 } },
        },
      },
    },
    groups: ['liveness', 'readiness'],
  });
});

describe('3.8 the switches of health components', () => {
  const added = ['db', 'kvstore', 'mail', 'ssl'].map((name) => up(name));
  const shown = async (keys: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const { body } = await endpoint({ 'show-components': 'always', ...keys }, added).ask();
    return Object.keys((body as { readonly components?: object }).components ?? {});
  };

  it('enable all components by default and disable each separately', async () => {
    expect(await shown({ 'management.health.diskspace.enabled': 'true' })).toEqual([
      ...['db', 'diskSpace', 'kvstore', 'mail', 'ping', 'ssl'],
    ]);
    for (const name of ['db', 'kvstore', 'mail', 'ping', 'ssl']) {
      expect(await shown({ [`management.health.${name}.enabled`]: 'false' }), name).not.toContain(name);
    }
  });

  it('enable only the named components if the default is off', async () => {
    expect(
      await shown({ 'management.health.defaults.enabled': 'false', 'management.health.mail.enabled': 'true' }),
    ).toEqual(['mail']);
  });
});
