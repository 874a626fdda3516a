import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BreachedPasswordProperties } from '../../src/identity/account/password/breached/breached.properties.js';
import { checkRules } from '../../src/apps/server/configuration-rules.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import { type ConfigurationReading, readConfiguration } from '../../src/config/configuration.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';
import { SEAL_KEY } from './keys/examples.js';

const KEY = 'app.security.password.breached';
const PROD = {
  ...{ APP_PROFILES_ACTIVE: 'prod', DB_URL: 'jdbc:mariadb://db/login', DB_USERNAME: 'login', DB_PASSWORD: 'pw' },
  ...{ PUBLIC_URL: 'https://login.example.com', SEAL_KEY },
  BACKUP_CODE_PEPPER: 'a random text of thirty-two characters or more',
};

interface Read {
  readonly reading: ConfigurationReading;
  /** What the rules found about these keys. */
  readonly found: readonly string[];
}

async function read(keys: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Read> {
  const inputs = {
    args: keys.map((key) => `--${KEY}.${key}`),
    variables,
    workingFolder: temporaryFolder('breached-keys'),
    packageFolder: fileURLToPath(new URL('../../src/resources/', import.meta.url)),
  };
  const reading = readConfiguration(PROPERTIES, inputs);
  const all = reading.problems.length > 0 ? [] : await checkRules(reading, inputs);
  const ofKeys = all.filter(({ what }) => what.includes('breached passwords'));
  return { reading, found: ofKeys.map(({ severity, what }) => `${severity}: ${what}`) };
}

const bound = ({ reading }: Read): BreachedPasswordProperties =>
  reading.instances.get(BreachedPasswordProperties) as BreachedPasswordProperties;

describe('the keys of breached passwords', () => {
  it('no source is configured by default, and empty variables configure none', async () => {
    const byDefault = bound(await read([]));
    const empty = bound(
      await read([], { APP_SECURITY_PASSWORD_BREACHED_URL: '', APP_SECURITY_PASSWORD_BREACHED_FILE: '' }),
    );

    expect([byDefault.url, byDefault.file, empty.url, empty.file]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([byDefault.minCount, byDefault.timeout.milliseconds]).toEqual([1, 2000]);
  });

  it.each(['https://ranges.test/range', 'https://ranges.test/range/', ' https://ranges.test/range// '])(
    'the URL "%s" is called without a double slash',
    async (url) => {
      expect(bound(await read([`url=${url}`])).url).toBe('https://ranges.test/range');
    },
  );

  it.each(['https://anna:secret@ranges.test/', 'https://ranges.test/?a=b', 'https://ranges.test/#a', 'ranges.test'])(
    'the URL %s prevents startup',
    async (url) => {
      expect((await read([`url=${url}`])).reading.problems).toHaveLength(1);
    },
  );

  it('A4: production demands https of the range service', async () => {
    const plain = 'url=http://ranges.test/range';

    expect((await read([plain])).found).toEqual([]);
    expect((await read([plain], PROD)).found).toEqual([
      'breach: The range service of breached passwords is called without https in production',
    ]);
    expect((await read(['url=https://ranges.test/range'], PROD)).found).toEqual([]);
  });
});
