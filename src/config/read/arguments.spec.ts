import { describe, expect, it } from 'vitest';
import { isConfigurationArgument, readArguments } from './arguments.js';

/** Every entry of the `--` arguments and of the `-D` arguments, as `key=value`. */
function read(...args: readonly string[]): { readonly options: string[]; readonly definitions: string[] } {
  const { commandLine, systemProperties } = readArguments(args);
  return {
    options: commandLine.entries.map(({ spelled, text }) => `${spelled}=${text}`),
    definitions: systemProperties.entries.map(({ spelled, text }) => `${spelled}=${text}`),
  };
}

describe('arguments', () => {
  it('set keys by --key=value and by -Dkey=value', () => {
    expect(read('--server.port=1', '-Dserver.port=2')).toEqual({
      options: ['server.port=1'],
      definitions: ['server.port=2'],
    });
  });

  it('keep the text after the first equals sign', () => {
    const { options, definitions } = read('--app.datasource.url=jdbc:x?a=b&c==', '-Da.b==c');

    expect(options).toEqual(['app.datasource.url=jdbc:x?a=b&c==']);
    expect(definitions).toEqual(['a.b==c']);
  });

  it('set an empty value if they have none', () => {
    expect(read('--server.port', '--a.b=', '-Dc.d')).toEqual({
      options: ['server.port=', 'a.b='],
      definitions: ['c.d='],
    });
  });

  it('arguments of other forms are passed on in order', () => {
    const { commandLine, systemProperties, rest } = readArguments([
      'config',
      '-',
      '--',
      '---a.b=c',
      '--=x',
      '-D',
      '-x',
      'a.b=c',
    ]);

    expect(rest).toEqual(['config', '-', '--', '---a.b=c', '--=x', '-D', '-x', 'a.b=c']);
    expect([...commandLine.entries, ...systemProperties.entries]).toEqual([]);
  });

  it('an option that is repeated in any spelling collects its values', () => {
    expect(read('--app.some-list=a', '--other=x', '--app.someList=b', '--APP.SOME_LIST=c').options).toEqual([
      'app.some-list=a,b,c',
      'other=x',
    ]);
  });

  it('a -D key that is repeated in any spelling replaces its value', () => {
    expect(read('-Dserver.port=1', '-Dserver.PORT=2').definitions).toEqual(['server.PORT=2']);
  });

  it('distinguish different map keys and indexes', () => {
    expect(read('--map[A.b]=1', '--map[a.b]=2', '--list[0]=3', '--list[1]=4').options).toHaveLength(4);
    expect(read('--+=1', '--!=2').options).toEqual(['+=1', '!=2']);
  });

  it('may be named like members of Object.prototype', () => {
    const { commandLine } = readArguments(['--__proto__=1', '--constructor=2', '--constructor.name=3']);

    expect(commandLine.entries.map(({ key, text }) => [key.uniform, text])).toEqual([
      ['proto', '1'],
      ['constructor', '2'],
      ['constructor.name', '3'],
    ]);
  });

  it('keep their spelling in the origin of their value', () => {
    const { commandLine, systemProperties } = readArguments(['--server.PORT=1', '-Dserver.port=2']);

    expect(commandLine.entries.map(({ origin }) => origin)).toEqual([
      { kind: 'argument', source: 'commandLineArgs', name: 'server.PORT' },
    ]);
    expect(systemProperties.entries.map(({ origin }) => origin)).toEqual([
      { kind: 'argument', source: 'systemProperties', name: 'server.port' },
    ]);
  });

  it.each(['--server.port=1', '--server.port', '-Dserver.port=1', '-Dport=1', '--list[0]=a'])(
    'are recognized on a command line if they set a key: %s',
    (argument) => {
      expect(isConfigurationArgument(argument)).toBe(true);
    },
  );

  it.each(['--changed', '--help', '-D', '-d', 'server.port', 'a=b.c', '--option=with.dot', '--', ''])(
    'are left to a command if they set no key: %s',
    (argument) => {
      expect(isConfigurationArgument(argument)).toBe(false);
    },
  );
});
