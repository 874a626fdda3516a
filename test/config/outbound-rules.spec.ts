import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import { checkRules } from '../../src/apps/server/configuration-rules.js';
import type { LocatedRuleProblem } from '../../src/config/check/rule.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../src/resources/', import.meta.url));
const KEYS = [
  'app.security.webhook.url',
  'app.security.saml.idp.corp.metadata',
  'app.security.password.breached.url',
] as const;

async function problemsIn(...args: readonly string[]): Promise<readonly LocatedRuleProblem[]> {
  const workingFolder = temporaryFolder('outbound-rules');
  const inputs = { args, variables: {}, workingFolder, packageFolder: PACKAGE_FOLDER };
  return checkRules(readConfiguration(PROPERTIES, inputs), inputs);
}

/** The warnings about internal addresses, as key and action. */
async function warned(key: string, url: string, ...args: readonly string[]): Promise<readonly string[]> {
  const found = await problemsIn(`--${key}=${url}`, ...args);
  return found
    .filter(({ what }) => what.includes('internal address'))
    .map(({ severity, facts, action }) => `${severity} ${facts.map(([, text]) => text)[0] ?? ''}: ${action}`);
}

describe('a URL with an internal address', () => {
  it.each(KEYS)('is a warning with the key %s and what to do if it has no entry', async (key) => {
    expect(await warned(key, 'https://10.1.2.3/a')).toEqual([
      `warning ${key}: Add 10.1.2.3 or its network to app.http.client.allowed-addresses, unless the URL is wrong.`,
    ]);
  });

  it.each([
    'https://192.168.1.1:8443/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/',
    'https://[::ffff:10.0.0.1]/',
    'https://0xa.1/',
  ])('is a warning if it is %s', async (url) => {
    expect(await warned(KEYS[0], url)).toHaveLength(1);
  });

  it.each(['https://10.1.2.3/', 'https://[fd00::1]/'])('is no warning if it is %s and has an entry', async (url) => {
    const entries = '--app.http.client.allowed-addresses=10.1.0.0/16,fd00::/8';

    expect(await warned(KEYS[0], url, entries)).toEqual([]);
  });

  it.each(['https://8.8.8.8/', 'https://events.example.com/', 'https://10.example.com/'])(
    'is not %s, which needs no entry',
    async (url) => {
      expect(await warned(KEYS[0], url)).toEqual([]);
    },
  );

  it('is permitted for this machine by the packaged configuration, but not with an empty list', async () => {
    const none = '--app.http.client.allowed-addresses=';

    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      expect(await warned(KEYS[0], `https://${host}/`), host).toEqual([]);
      expect(await warned(KEYS[0], `https://${host}/`, none), host).toHaveLength(1);
    }
  });
});
