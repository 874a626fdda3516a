import { describe, expect, it } from 'vitest';
import { type Place, place, problemsOf } from '../../../test/config/support.js';
import { Configuration } from '../../config/configuration.js';
import { RuleFacts } from '../../config/check/rule.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { SealProperties } from './seal.properties.js';
import { sealKeysConfigured } from './seal.rule.js';

const random = new SystemRandom();
const KEY = random.bytes(32).toString('base64');
const OTHER = random.bytes(32).toString('base64');

const read = (files: string, variables: Readonly<Record<string, string>> = {}): ReturnType<Place['read']> =>
  place({ 'work/application.yml': files }).read({ variables });
const bound = (reading: ReturnType<Place['read']>): SealProperties =>
  reading.instances.get(SealProperties) as SealProperties;

describe('app.security.seal', () => {
  it('takes a key from the environment and makes the only one active', () => {
    const properties = bound(read('', { APP_SECURITY_SEAL_KEYS_K1: KEY }));

    expect(properties.activeId).toBe('k1');
    expect(Array.from(properties.byId.values(), (key) => Buffer.from(key).toString('base64'))).toEqual([KEY]);
  });

  it('finds a key by one id in a file and in the environment', () => {
    const reading = read('app.security.seal.active: Key-2026', {
      APP_SECURITY_SEAL_KEYS_KEY_2026: KEY,
      APP_SECURITY_SEAL_KEYS_KEY_2025: OTHER,
    });

    expect(reading.problems).toEqual([]);
    expect(bound(reading).activeId).toBe('key2026');
    expect([...bound(reading).byId.keys()].toSorted()).toEqual(['key2025', 'key2026']);
  });

  it('reports name and origin of an invalid key, and nothing of the key', () => {
    const [problem] = problemsOf(read(`app.security.seal.keys.k1: ${Buffer.from('too short').toString('base64')}`));

    expect(problem).toEqual({
      what: 'The value of app.security.seal.keys.k1 cannot be used',
      action: expect.stringContaining('openssl rand -base64 32') as string,
      facts: {
        Property: 'app.security.seal.keys.k1',
        Value: '"******"',
        Origin: 'file [application.yml] - 1:28',
        Reason: 'these are 9 bytes instead of 32',
      },
    });
  });

  it('treats an empty text as no key, so that a key of another source can be removed', () => {
    const reading = read('app.security.seal: { active: k2, keys: { k1: "${SEAL_KEY}", k2: "${NEXT}" } }', {
      SEAL_KEY: '',
      NEXT: KEY,
    });

    expect(reading.problems).toEqual([]);
    expect([...bound(reading).byId.keys()]).toEqual(['k2']);
  });

  it.each([
    ['several keys and none active', `keys: { k1: "${KEY}", k2: "${OTHER}" }`, 'set the active one'],
    ['an active key that is missing', `{ active: k3, keys: { k1: "${KEY}" } }`, 'has no key of that id'],
    ['an active id without any key', `active: k1`, 'has no key of that id'],
    ['an active key that is empty', `{ active: k1, keys: { k1: "", k2: "${KEY}" } }`, 'keys.k1 is empty: set it to 32'],
    ['two ids with the same canonical form', `{ active: a.b, keys: { a.b: "${KEY}", ab: "${OTHER}" } }`, 'alone'],
    ['an id without letters', `keys: { "[-]": "${KEY}" }`, 'letters and digits'],
    ['a very long id', `keys: { ${'k'.repeat(65)}: "${KEY}" }`, 'letters and digits'],
  ])('rejects %s', (_, seal, reason) => {
    const text = seal.startsWith('{')
      ? `app: { security: { seal: ${seal} } }`
      : `app: { security: { seal: { ${seal} } } }`;

    const problems = problemsOf(read(text));

    expect(problems.map(({ facts }) => facts['Reason']).join()).toContain(reason);
  });
});

describe('the rule about seal keys in production', () => {
  it.each([
    ['rejects a missing seal key', undefined, 1],
    ['rejects an empty seal key', '', 1],
    ['accepts a seal key', KEY, 0],
  ])('%s', (_, key, count) => {
    const inputs = { args: [], workingFolder: '/', packageFolder: '/' };
    const variables = { APP_PROFILES_ACTIVE: 'prod', ...(key !== undefined && { APP_SECURITY_SEAL_KEYS_K1: key }) };
    const { environment, registry, instances } = place({ 'work/application-prod.yml': '' }).read({ variables });

    const problems = sealKeysConfigured.check(
      new RuleFacts(new Configuration(environment, registry, [], instances), { ...inputs, variables }),
    );

    expect(problems).toHaveLength(count);
  });
});
