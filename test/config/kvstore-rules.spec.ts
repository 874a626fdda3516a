import { describe, expect, it } from 'vitest';
import { RuleFacts } from '../../src/config/check/rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { kvstoreBundleUsable, sentinelKeysComplete } from '../../src/platform/kvstore/kvstore.rule.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

function factsOf(keys: readonly string[]): RuleFacts {
  const folder = temporaryFolder();
  const args = keys.map((key) => `--app.data.kvstore.${key}`);
  const inputs = { args, variables: {}, workingFolder: folder, packageFolder: folder };
  return new RuleFacts(loadServiceConfiguration(inputs), inputs);
}

describe('the rules about the key-value store', () => {
  it.each([
    ['nodes=127.0.0.1:26379', 'Set app.data.kvstore.sentinel.master'],
    ['master=login', 'Set app.data.kvstore.sentinel.nodes'],
  ])('sentinel.%s alone prevents startup', (key, action) => {
    expect(sentinelKeysComplete.check(factsOf([`sentinel.${key}`]))).toMatchObject([
      { severity: 'error', action: expect.stringContaining(action) as string },
    ]);
  });

  it('no sentinels, and sentinels with the name of the primary, are permitted', () => {
    const both = ['sentinel.master=login', 'sentinel.nodes=127.0.0.1:26379,[::1]:26379'];

    for (const keys of [[], both]) expect(sentinelKeysComplete.check(factsOf(keys))).toEqual([]);
  });

  it('an unknown certificate bundle prevents startup', async () => {
    expect(await kvstoreBundleUsable.check(factsOf(['ssl.bundle=store']))).toMatchObject([
      { severity: 'error', what: 'Unknown certificate bundle "store"' },
    ]);
  });
});
