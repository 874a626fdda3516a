import { describe, expect, it } from 'vitest';
import { reading } from '../../../test/config/keys/situation.js';
import { configurationOf } from '../../config/configuration.js';
import { type RuleProblem, RuleFacts } from '../../config/check/rule.js';
import { UnboundValue } from '../../config/bind/unbound.js';
import { managementPathsDistinct } from './paths.rule.js';

const WEB = '--management.endpoints.web';
const ALL = `${WEB}.exposure.include=*`;
const GROUP = '--management.endpoint.health.group';
const OWN_PORT = '--management.server.port=9090';
const PROBES = ['enabled', 'add-additional-paths'].map((key) => `--management.endpoint.health.probes.${key}=true`);
const USERS = ['/', '/me', '/me/settlement', '/sessions', '/sessions/:id', '/admin/users/:id', '/livez'];

async function found(...args: readonly string[]): Promise<readonly RuleProblem[]> {
  const inputs = { args: [], variables: {}, workingFolder: '/nowhere', packageFolder: '/nowhere' };
  const facts = new RuleFacts(configurationOf(reading({ args })), inputs);
  return managementPathsDistinct(() => Promise.resolve(USERS))(facts);
}

async function whats(...args: readonly string[]): Promise<readonly string[]> {
  return (await found(...args)).map(({ what }) => what);
}

describe('the paths of management endpoints', () => {
  it.each([[[ALL]], [[ALL, OWN_PORT]], [[ALL, OWN_PORT, `${WEB}.base-path=/`]], [[ALL, `${WEB}.base-path=`]]])(
    'do not collide with %j',
    async (args) => {
      expect(await found(...args)).toEqual([]);
    },
  );

  it('are reported if two endpoints share one, with the key that maps it', async () => {
    expect(await found(ALL, `${WEB}.path-mapping.env=health`)).toEqual([
      {
        severity: 'error',
        what: 'The management endpoints health and env have the same path',
        action: 'Give one of them a path of its own, e.g. by management.endpoints.web.path-mapping.env.',
        facts: [
          ['Property', 'management.endpoints.web.path-mapping.env'],
          ['Value', '"health"'],
          ['Origin', '"management.endpoints.web.path-mapping.env" from property source "commandLineArgs"'],
          ['Path', '/actuator/health'],
        ],
      },
    ]);
  });

  it('are reported by the key that maps the first of two endpoints', async () => {
    const [problem] = await found(ALL, `${WEB}.path-mapping.health=env`);

    expect(problem?.facts).toContainEqual(['Property', 'management.endpoints.web.path-mapping.health']);
    expect(problem?.what).toBe('The management endpoints health and env have the same path');
  });

  it('are ignored for an endpoint that cannot be called', async () => {
    const same = `${WEB}.path-mapping.env=health`;

    expect(await found(ALL, same, '--management.endpoint.env.access=none')).toEqual([]);
    expect(await found(`${WEB}.exposure.include=health`, same)).toEqual([]);
    expect(await found(ALL, same, '--management.server.port=-1')).toEqual([]);
    // The rule cannot know whether it can be called; binding reports the invalid access.
    expect(await found(ALL, same, '--management.endpoint.env.access=some')).toEqual([]);
  });

  it('are reported if they collide with a route for users', async () => {
    expect(await whats(`${WEB}.base-path=/me`)).toEqual([
      'The page of links to the management endpoints has the path of another route',
    ]);
    expect(await whats(ALL, `${WEB}.base-path=`, `${WEB}.path-mapping.env=me`)).toEqual([
      'The management endpoint env has the path of another route',
    ]);
    expect(await whats(ALL, `${WEB}.base-path=/admin`, `${WEB}.path-mapping.caches=users`)).toEqual([
      'The management endpoint caches has the path of another route',
    ]);
    expect(await whats(`${WEB}.base-path=/me`, `${WEB}.discovery.enabled=false`)).toEqual([]);
  });

  it('may equal routes for users on a separate listener', async () => {
    expect(await whats(`${WEB}.base-path=/me`, OWN_PORT)).toEqual([]);
  });
});

describe('the additional paths of health groups', () => {
  it.each([
    ['a route of users', ['server:/me'], 'The additional path /me of the health group "g0" is that of another route'],
    [
      'the endpoints',
      ['management:/actuator'],
      'The additional path /actuator of the health group "g0" is that of another route',
    ],
    ['another group', ['server:/z', 'management:/z'], 'The health groups "g0" and "g1" have the same additional path'],
  ])('are reported if they equal those of %s', async (_, paths, what) => {
    const args = paths.map((path, index) => `${GROUP}.g${index}.additional-path=${path}`);

    const problems = await found(...args);

    expect(problems.map((problem) => problem.what)).toEqual([what]);
    expect(problems[0]?.facts[0]?.[1]).toMatch(/^management\.endpoint\.health\.group\.g\d\.additional-path$/);
  });

  it('may be equal on two listeners', async () => {
    const args = [`${GROUP}.a.additional-path=server:/z`, `${GROUP}.b.additional-path=management:/z`];

    expect(await found(...args, OWN_PORT)).toEqual([]);
  });

  it('a conflict of the additional probe paths is reported by the key that adds them', async () => {
    const [problem] = await found(...PROBES);

    expect(problem?.what).toContain('The additional path /livez of the health group "liveness"');
    expect(problem?.facts).toContainEqual(['Property', 'management.endpoint.health.probes.add-additional-paths']);
    expect(problem?.action).toContain('Set management.endpoint.health.probes.add-additional-paths to false');
  });

  it('may repeat a path of the same group', async () => {
    const args = [...PROBES, `${GROUP}.readiness.additional-path=management:/readyz`];

    expect(await whats(...args)).toEqual([expect.stringContaining('"liveness"')]);
  });

  it('are checked even if the path of another group is invalid', async () => {
    const args = [`${GROUP}.a.additional-path=nonsense`, `${GROUP}.b.additional-path=server:/me`];

    expect(await whats(...args)).toEqual([expect.stringContaining('"b"')]);
  });
});

it('the paths of management endpoints are not checked if their port is invalid', async () => {
  await expect(found(`${WEB}.base-path=/me`, '--management.server.port=x')).rejects.toThrow(UnboundValue);
});
