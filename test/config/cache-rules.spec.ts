import { describe, expect, it } from 'vitest';
import { cacheStoreConfigured, caffeineSpecReadable } from '../../src/platform/cache/cache.rule.js';
import { RuleFacts } from '../../src/config/check/rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

function factsOf(keys: readonly string[]): RuleFacts {
  const folder = temporaryFolder();
  const args = keys.map((key) => `--app.${key}`);
  const inputs = { args, variables: {}, workingFolder: folder, packageFolder: folder };
  return new RuleFacts(loadServiceConfiguration(inputs), inputs);
}

describe('the rules about caches', () => {
  it('a word that Caffeine knows and this service does not prevents startup with a reason and a remedy', () => {
    const facts = factsOf(['cache.caffeine.spec=maximumSize=10,softValues']);

    expect(caffeineSpecReadable.check(facts)).toEqual([
      {
        severity: 'error',
        what: 'app.cache.caffeine.spec cannot be used',
        action: 'Remove softValues; maximumSize=<number> bounds the memory.',
        facts: expect.arrayContaining([
          ['Value', '"maximumSize=10,softValues"'],
          ['Reason', expect.stringContaining('Node.js has none')],
        ]) as unknown,
      },
    ]);
  });

  it('an empty specification and one with every word are permitted', () => {
    const all = 'initialCapacity=1,maximumSize=1,expireAfterWrite=1s,expireAfterAccess=1s,recordStats';

    for (const spec of ['', all]) {
      expect(caffeineSpecReadable.check(factsOf([`cache.caffeine.spec=${spec}`]))).toEqual([]);
    }
  });

  it('caches in the key-value store without one prevent startup', () => {
    expect(cacheStoreConfigured.check(factsOf(['cache.type=kvstore']))).toMatchObject([
      { severity: 'error', action: expect.stringContaining('Set app.data.kvstore.host') as string },
    ]);
  });

  it.each([
    ['a host', ['cache.type=kvstore', 'data.kvstore.host=localhost']],
    ['sentinels', ['cache.type=kvstore', 'data.kvstore.sentinel.nodes=localhost:1', 'data.kvstore.sentinel.master=m']],
    ['another type', ['cache.type=simple']],
  ])('%s satisfies the rule about the store', (_, keys) => {
    expect(cacheStoreConfigured.check(factsOf(keys))).toEqual([]);
  });
});
