import { describe, expect, it } from 'vitest';
import { KeyName, variableForms } from './key-name.js';

function same(one: string, other: string): boolean {
  return KeyName.parse(one).uniform === KeyName.parse(other).uniform;
}

describe('a key name', () => {
  it.each([
    'app.datasource.pool.maximum-pool-size',
    'app.datasource.pool.maximumPoolSize',
    'app.datasource.pool.maximum_pool_size',
    'app.datasource.pool.MAXIMUMPOOLSIZE',
    'APP.DATASOURCE.POOL.MAXIMUM_POOL_SIZE',
    'app.dataSource.pool.maximumpool-size',
    'app.datasource.pool.-maximum--pool-size_',
  ])('equals its spelling %s', (spelling) => {
    expect(same(spelling, 'app.datasource.pool.maximum-pool-size')).toBe(true);
  });

  it.each([
    ['server.port', 'server.ports'],
    ['server.port', 'serverport'],
    ['server.port', 'server-port'],
    ['a.b', 'a.b.c'],
    ['a[0]', 'a[1]'],
    ['a[0]', 'a[00]'],
    ['map[Key]', 'map.key'],
    ['map[a-b]', 'map.ab'],
    ['map[a-b]', 'map[ab]'],
    ['straße', 'strasse'],
  ])('%s differs from %s', (one, other) => {
    expect(same(one, other)).toBe(false);
  });

  it('accepts an index in brackets or as a part', () => {
    expect(same('list[0].name', 'list.0.name')).toBe(true);
    expect(KeyName.parse('list[0]').length).toBe(2);
  });

  it.each([
    ['map[Exact.Text_with-all]', 'Exact.Text_with-all'],
    ['map[/a/**]', '/a/**'],
    ['map.a-b', 'a-b'],
    ['map.a_b', 'a_b'],
    ['map.a/b c!', 'abc'],
    ['map.Auth.mfa', 'Auth.mfa'],
    ['map.größe', 'größe'],
    ['map.__proto__', '__proto__'],
    ['map[__proto__]', '__proto__'],
    ['map.constructor', 'constructor'],
  ])('%s has the map key %s', (name, key) => {
    expect(KeyName.parse(name).textFrom(1)).toBe(key);
  });

  it('drops parts without letters and digits', () => {
    expect(same('a.-._.b', 'a.b')).toBe(true);
    expect(same('..a..b.', 'a.b')).toBe(true);
    expect(KeyName.parse('-').length).toBe(0);
    expect(KeyName.parse('').uniform).toBe('');
  });

  it('can be extended by names and indexes', () => {
    const key = KeyName.parse('app.list').appendIndex(2).append('some-Name');

    expect(key.uniform).toBe('app.list.2.somename');
    expect(String(key)).toBe('app.list.2.some-Name');
    expect(key.firstParts(2).uniform).toBe('app.list');
    expect(key.uniformFrom(2)).toBe('2.somename');
    expect(key.uniformPart(7)).toBe('');
  });

  it('parses a name with ten thousand parts within the time limit of a test', () => {
    expect(KeyName.parse('a.'.repeat(10_000)).length).toBe(10_000);
  });
});

describe('the environment variables of a key', () => {
  it.each([
    ['server.port', ['SERVER_PORT']],
    ['app.datasource.pool.max-lifetime', ['APP_DATASOURCE_POOL_MAXLIFETIME', 'APP_DATASOURCE_POOL_MAX_LIFETIME']],
    ['app.jpa.properties.orm.format_sql', ['APP_JPA_PROPERTIES_ORM_FORMATSQL', 'APP_JPA_PROPERTIES_ORM_FORMAT_SQL']],
    ['http.proxyHost', ['HTTP_PROXYHOST']],
    ['app.list[0].name', ['APP_LIST_0_NAME']],
    ['app.list[10]', ['APP_LIST_10']],
  ])('the environment variables of %s are %s', (name, forms) => {
    expect(variableForms(name)).toEqual(forms);
  });
});
