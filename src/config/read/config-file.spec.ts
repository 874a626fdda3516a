import { describe, expect, it } from 'vitest';
import { candidatesOf, exists, type ConfigContext } from './config-file.js';
import { parseGroup } from './location.js';
import type { Origin } from './origin.js';

const AT: ConfigContext = { workingFolder: '/srv/work', packageFolder: '/srv/package', variables: { DOC: 'a=b' } };

function paths(
  text: string,
  options: { readonly profile?: string; readonly names?: readonly string[]; readonly origin?: Origin } = {},
): readonly string[] {
  const { profile, names = ['application'], origin } = options;
  const by = origin && { key: 'app.config.import', origin, isSecret: false };
  return parseGroup(text, by).flatMap((location) => candidatesOf(location, names, profile, AT).map(({ id }) => id));
}

function declaredIn(kind: 'file' | 'classpath' | 'variable', path: string): Origin {
  return { kind: 'position', resource: { kind, path }, line: 1, column: 1 };
}

describe('the files behind a location', () => {
  it.each([
    [
      'a folder',
      'file:./',
      {},
      ['/srv/work/application.yaml', '/srv/work/application.yml', '/srv/work/application.properties'],
    ],
    [
      'a folder, for a profile',
      'file:./',
      { profile: 'eu' },
      ['/srv/work/application-eu.yaml', '/srv/work/application-eu.yml', '/srv/work/application-eu.properties'],
    ],
    [
      'a folder, for two names',
      'classpath:/',
      { names: ['a', 'b'] },
      [
        '/srv/package/a.yaml',
        '/srv/package/a.yml',
        '/srv/package/a.properties',
        '/srv/package/b.yaml',
        '/srv/package/b.yml',
        '/srv/package/b.properties',
      ],
    ],
    ['a file', 'file:x.yml', {}, ['/srv/work/x.yml']],
    ['a file, for a profile', 'file:x.yml', { profile: 'eu' }, ['/srv/work/x-eu.yml']],
    ['a file with a type', '/x/conf[.properties]', { profile: 'eu' }, ['/x/conf-eu']],
    ['a file with dots in its name', 'a.b.yml', { profile: 'eu' }, ['/srv/work/a.b-eu.yml']],
    ['a variable', 'env:DOC', {}, ['env:DOC']],
    ['a variable, for a profile', 'env:DOC', { profile: 'eu' }, []],
    ['a path in a file', 'x.yml', { origin: declaredIn('file', 'conf/a.yml') }, ['/srv/work/conf/x.yml']],
    ['a path in a file elsewhere', '../x.yml', { origin: declaredIn('file', '/etc/login/a.yml') }, ['/etc/x.yml']],
    [
      'a path in a packaged file',
      'x.yml',
      { origin: declaredIn('classpath', 'conf/a.yml') },
      ['/srv/package/conf/x.yml'],
    ],
    ['an absolute path in a packaged file', '/x.yml', { origin: declaredIn('classpath', 'conf/a.yml') }, ['/x.yml']],
    ['a path in a variable', 'x.yml', { origin: declaredIn('variable', 'DOC') }, ['/srv/work/x.yml']],
    ['file: in a packaged file', 'file:x.yml', { origin: declaredIn('classpath', 'conf/a.yml') }, ['/srv/work/x.yml']],
    ['classpath: in a file', 'classpath:x.yml', { origin: declaredIn('file', 'conf/a.yml') }, ['/srv/package/x.yml']],
  ])('are those of %s', (_, text, options, expected) => {
    expect(paths(text, options)).toEqual(expected);
  });

  it.each(['x', 'x.json', 'x.yml[.json]', 'conf[yaml]', '.'.repeat(3)])(
    'are rejected for "%s", which has no known type',
    (text) => {
      expect(() => paths(text)).toThrow(/is unknown$/);
    },
  );

  it.each([
    ['env:DOC', true],
    ['env:DOC[.yaml]', true],
    ['env:OTHER', false],
    ['env:toString', false],
    ['file:./', false],
  ])('%s exists: %s', (text, expected) => {
    expect(parseGroup(text).map((location) => exists(location, AT))).toEqual([expected]);
  });
});
