import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../../config/problem.js';
import { parseJdbcUrl } from './jdbc-url.js';

describe('a JDBC URL', () => {
  it.each([
    ['jdbc:sqlite:./data/login.db', './data/login.db'],
    ['jdbc:sqlite:/var/lib/login.db', '/var/lib/login.db'],
    ['jdbc:sqlite::memory:', ':memory:'],
  ])('%s is the embedded database', (url, file) => {
    expect(parseJdbcUrl(url)).toEqual({ engine: 'sqlite', file, notes: [] });
  });

  it.each([
    ['jdbc:mysql://db/login', 'mysql', [{ name: 'db', port: 3306 }]],
    ['jdbc:mariadb://db:3307/login', 'mariadb', [{ name: 'db', port: 3307 }]],
    ['jdbc:mariadb://[::1]:3307/login', 'mariadb', [{ name: '::1', port: 3307 }]],
    [
      'jdbc:mysql://db-1,db-2:3307/login',
      'mysql',
      [
        { name: 'db-1', port: 3306 },
        { name: 'db-2', port: 3307 },
      ],
    ],
  ])('%s is a server', (url, engine, hosts) => {
    expect(parseJdbcUrl(url)).toEqual({ engine, hosts, database: 'login', tls: 'off', notes: [] });
  });

  it.each([
    ['jdbc:oracle:thin:@db:1521:login', 'supported are jdbc:sqlite:'],
    ['jdbc:postgresql://db/login', 'supported are jdbc:sqlite:'],
    ['jdbc:mysql:loadbalance://a,b/login', 'supported are jdbc:sqlite:'],
    ['mysql://db/login', 'supported are jdbc:sqlite:'],
    ['', 'supported are jdbc:sqlite:'],
    ['jdbc:sqlite:', 'names no file'],
    ['jdbc:mysql://db', 'names no database'],
    ['jdbc:mysql://db/', 'names no database'],
    ['jdbc:mysql:///login', 'a host is written'],
    ['jdbc:mysql://db:0/login', 'a host is written'],
    ['jdbc:mysql://db:65536/login', 'a host is written'],
    ['jdbc:mysql://address=(host=db)/login', 'a host is written'],
    ['jdbc:mysql://db/login?sslMode=MAYBE', 'parameter sslMode: write DISABLED'],
    ['jdbc:mysql://db,10.0.0.2/login?sslMode=VERIFY_IDENTITY', 'VERIFY_IDENTITY needs host names'],
    ['jdbc:mysql://[::1]/login?sslMode=VERIFY_IDENTITY', 'VERIFY_IDENTITY needs host names'],
    ['jdbc:mysql://db/login?connectTimeout=3s', 'parameter connectTimeout: write a whole number'],
    ['jdbc:mysql://db/login?serverTimezone=Mars/North', 'parameter serverTimezone: not a time zone'],
    ['jdbc:mysql://db/login?allowPublicKeyRetrieval=1', 'parameter allowPublicKeyRetrieval: write true or false'],
  ])('"%s" is rejected with a reason', (url, reason) => {
    const refused = parseJdbcUrl(url);

    expect(refused).toBeInstanceOf(ConversionProblem);
    expect((refused as ConversionProblem).reason).toContain(reason);
  });
});

describe('the parameters of a JDBC URL', () => {
  it.each([
    ['useSSL=true', { tls: 'encrypted' }],
    ['useSSL=false', { tls: 'off' }],
    ['sslMode=REQUIRED', { tls: 'encrypted' }],
    ['sslMode=trust', { tls: 'encrypted' }],
    ['sslMode=VERIFY_CA', { tls: 'verify-ca' }],
    ['sslMode=verify-full', { tls: 'verify-identity' }],
    ['sslMode=VERIFY_IDENTITY&useSSL=false', { tls: 'verify-identity' }],
    ['serverTimezone=UTC', { timeZone: 'UTC', utcOffset: 'Z' }],
    ['serverTimezone=Asia/Seoul', { timeZone: 'Asia/Seoul', utcOffset: '+09:00' }],
    ['connectionTimeZone=%2B05:30', { timeZone: '+05:30', utcOffset: '+05:30' }],
    ['connectionTimeZone=UTC&serverTimezone=Asia/Seoul', { timeZone: 'UTC', utcOffset: 'Z' }],
    ['connectionTimeZone=LOCAL', { timeZone: 'LOCAL', utcOffset: 'local' }],
    ['connectTimeout=3000&sockettimeout=0', { connectTimeoutMillis: 3000, socketTimeoutMillis: 0 }],
    ['allowPublicKeyRetrieval=false', { allowsPublicKeyRetrieval: false }],
    ['characterEncoding=UTF-8&', {}],
  ])('%s is parsed', (query, expected) => {
    expect(parametersOf(query)).toMatchObject({ ...expected, notes: [] });
  });

  it.each([
    ['useUnicode=true', 'The parameter useUnicode is unknown and has no effect.'],
    ['constructor=1', 'The parameter constructor is unknown and has no effect.'],
    ['characterEncoding=EUC-KR', 'characterEncoding has no effect: text travels as UTF-8.'],
    ['connectionTimeZone=Europe/Berlin', 'The zone Europe/Berlin has no single offset from UTC'],
    ['sslMode=PREFERRED', 'sslMode=PREFERRED connects without TLS'],
  ])('%s causes a warning', (query, note) => {
    expect(parametersOf(query).notes).toEqual([expect.stringContaining(note)]);
  });

  it('parameters for the embedded database cause a warning because it has none', () => {
    expect(parseJdbcUrl('jdbc:sqlite:x.db?journal_mode=OFF')).toMatchObject({
      file: 'x.db',
      notes: [expect.stringContaining('journal_mode')],
    });
  });

  it.each(['jdbc:mysql://ann:p%40ss@db/login', 'jdbc:mysql://db/login?user=ann&password=p%40ss'])(
    'credentials in %s are accepted with a warning',
    (url) => {
      const location = parseJdbcUrl(url);

      expect(location).toMatchObject({ username: 'ann', password: 'p@ss' });
      const { notes } = location as Exclude<typeof location, ConversionProblem>;
      expect(notes.join('\n')).toContain('belongs to app.datasource.');
      expect(notes.join('\n')).not.toContain('p@ss');
    },
  );
});

function parametersOf(query: string): Exclude<ReturnType<typeof parseJdbcUrl>, ConversionProblem> {
  const location = parseJdbcUrl(`jdbc:mysql://db/login?${query}`);
  if (location instanceof ConversionProblem) throw new Error(location.reason);
  return location;
}
