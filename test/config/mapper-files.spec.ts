import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RuleFacts } from '../../src/config/check/rule.js';
import { loadServiceConfiguration } from '../../src/apps/server/service-configuration.js';
import { lineOf, type Problem } from '../../src/config/problem.js';
import { mapperPatternsMatch } from '../../src/platform/persistence/mapper/mapper.rule.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';
import { readMappers } from '../support/database/mapper.js';

const LOCATION = '--mapper.mapper-locations=file:mapper/**/*.xml';

function problemsOf(files: Readonly<Record<string, string>>, args: readonly string[] = [LOCATION]): readonly string[] {
  return readMappers({ files, args }).problems.map(lineOf);
}

function originsOf(problems: readonly Problem[]): readonly (string | undefined)[] {
  return problems.map(({ facts }) => new Map(facts).get('Origin'));
}

const mapper = (content: string, namespace = 'a'): string => `<mapper namespace="${namespace}">\n${content}\n</mapper>`;
const select = (id: string, content = 'SELECT 1', more = ''): string =>
  `<select id="${id}" resultType="map"${more}>${content}</select>`;

it('all problems of all files are reported with file, line and column', () => {
  const { problems } = readMappers({
    args: [LOCATION],
    files: {
      'mapper/one.xml': mapper(`${select('x')}\n${select('x')}\n${select('y', '\n\n  a = #{b')}`),
      'mapper/deep/two.xml': `<mapper namespace="b">\n  <select id="x">\n</mapper>`,
      'mapper/deep/er/three.xml': mapper(`<selekt id="x"/>\n${select('z', 'A <if test="b ==">B</if>')}`, 'c'),
    },
  });

  expect(originsOf(problems)).toEqual([
    'file [mapper/deep/er/three.xml] - 2:1',
    'file [mapper/deep/er/three.xml] - 3:35',
    'file [mapper/deep/two.xml] - 2:3',
    'file [mapper/one.xml] - 3:1',
    'file [mapper/one.xml] - 6:7',
  ]);
});

describe('a mapper file', () => {
  it.each([
    ['an id twice', `${select('x')}${select('x')}`, 'Reason: the first one is in line 2 of mapper/it.xml'],
    [
      'an id twice for one engine',
      `${select('x', 'A', ' databaseId="mysql"')}${select('x', 'A', ' databaseId="mysql"')}`,
      'The statement a.x is defined twice',
    ],
    [
      'an id of another statement',
      `${select('x')}<delete id="x">DELETE</delete>`,
      'The statement a.x is defined twice',
    ],
    ['a fragment twice', '<sql id="x">A</sql><sql id="x">A</sql>', 'The fragment a.x is defined twice'],
    ['an unknown fragment', select('x', '<include refid="b.y"/>'), 'The fragment b.y is unknown'],
    ['a circular fragment', '<sql id="x">A<include refid="x"/></sql>', 'The fragment x includes itself'],
    ['an unknown result type', '<select id="x" resultType="y.Z">A</select>', 'The type y.Z is unknown'],
    ['no result type', '<select id="x">A</select>', '<select> needs the attribute resultType'],
    ['a result map', '<resultMap id="x" type="map"/>', '<resultMap> is not known in <mapper>'],
    ['an unknown element', '<procedure id="x">A</procedure>', '<procedure> is not known in <mapper>'],
    ['a cache', '<cache/>', '<cache> is not known in <mapper>'],
    ['an unknown attribute', select('x', 'A', ' flushCache="true"'), '<select> has no attribute flushCache'],
    ['no id', '<sql>A</sql>', '<sql> needs the attribute id'],
    ['a malformed id', '<sql id="a b">A</sql>', 'The attribute id="a b" of <sql> is invalid'],
    ['an unknown engine', select('x', 'A', ' databaseId="oracle"'), 'Reason: it must match ^(?:sqlite|mariadb|mysql)$'],
    ['a malformed timeout', select('x', 'A', ' timeout="3s"'), 'timeout="3s" of <select> is invalid'],
    ['stray text', 'A', '<mapper> contains no text'],
    ['a text that is not allowed', select('x', 'ORDER BY ${order}'), 'the program allows no ${order} in a'],
  ])('a file with %s is reported', (_, content, problem) => {
    const problems = problemsOf({ 'mapper/it.xml': mapper(content) });

    expect(problems.join('\n')).toContain(problem);
    expect(problems.join('\n')).toMatch(/Origin: file \[mapper\/it\.xml\] - \d+:\d+/);
  });

  it.each([
    ['another root', '<mappers/>', '<mappers> is not known in the file'],
    ['no namespace', '<mapper/>', '<mapper> needs the attribute namespace'],
    ['a malformed namespace', '<mapper namespace="a..b"/>', 'namespace="a..b" of <mapper> is invalid'],
    ['no XML', 'SELECT 1', 'The XML of the mapper file is not accepted'],
    ['an open tag', '<mapper namespace="a">', 'a tag is not closed'],
    ['an unknown entity', '<mapper namespace="a">&more;</mapper>', 'entity not found'],
    ['an attribute twice', '<mapper namespace="a" namespace="b"/>', 'Attribute namespace redefined'],
    ['text behind its end', '<mapper namespace="a"/>A', 'text is outside of the root'],
    ['a DOCTYPE', '<!DOCTYPE mapper>\n<mapper namespace="a"/>', 'it has a DOCTYPE'],
    [
      'an entity that names a file',
      '<!DOCTYPE m [<!ENTITY e SYSTEM "file:///etc/passwd">]><mapper namespace="a">&e;</mapper>',
      'it has a DOCTYPE',
    ],
  ])('a file with %s is reported', (_, xml, problem) => {
    const problems = problemsOf({ 'mapper/it.xml': xml });

    expect(problems.join('\n')).toContain(problem);
    expect(problems).toHaveLength(1);
  });

  it('is reported if it is not UTF-8 or not readable as a file', () => {
    expect(problemsOf({}, ['--mapper.mapper-locations=file:gone.xml'])[0]).toContain('there is no such file');
    expect(problemsOf({ 'a/b.xml': '' }, ['--mapper.mapper-locations=file:a'])[0]).toContain('there is no such file');
  });
});

describe('mapper.mapper-locations', () => {
  const files = {
    'one.xml': mapper(select('x')),
    'maps/two.xml': mapper(select('y')),
    'maps/deep/three.xml': mapper(select('z')),
    'maps/deep/notes.txt': 'no mapper',
  };
  const namesFor = (...locations: readonly string[]): readonly string[] => {
    const found = readMappers({
      files,
      packaged: { 'mapper/own.xml': mapper(select('own'), 'p') },
      args: [`--mapper.mapper-locations=${locations.join(',')}`],
    });
    expect(found.problems).toEqual([]);
    return [...(found.statements.get('sqlite')?.keys() ?? [])].sort();
  };

  it.each([
    [['file:one.xml'], ['a.x', 'p.own']],
    [['one.xml'], ['a.x', 'p.own']],
    [['file:maps/*.xml'], ['a.y', 'p.own']],
    [['file:maps/**/*.xml'], ['a.y', 'a.z', 'p.own']],
    [
      ['file:**/t*.xml', 'file:maps/two.xml'],
      ['a.y', 'a.z', 'p.own'],
    ],
    [['file:maps/de?p/three.xml'], ['a.z', 'p.own']],
    [['file:none/*.xml'], ['p.own']],
    [['classpath:mapper/**/*.xml'], ['p.own']],
    [['classpath*:mapper/*.xml', 'classpath:/mapper/own.xml'], ['p.own']],
    [[''], ['p.own']],
  ])('%j adds files to those of the package: %j', (locations, names) => {
    expect(namesFor(...locations)).toEqual(names);
  });

  it.each([
    ['http://host/x.xml', 'it begins with classpath:, classpath*: or file:'],
    ['classpath:mapper/gone.xml', 'there is no such file'],
    ['file:maps/{a,b}.xml', 'a pattern contains *, ? and ** only'],
  ])('%s cannot be used: %s', (location, reason) => {
    const [problem] = problemsOf(files, [`--mapper.mapper-locations[0]=${location.replace('{a,b}', '*{a}')}`]);

    expect(problem).toContain(reason);
    expect(problem).toContain('mapper.mapper-locations');
  });

  it('a statement for one engine takes the place of the packaged statement on this engine only', () => {
    const tuned = mapper(select('own', 'SELECT 2', ' databaseId="mariadb"'), 'p');
    const packaged = { 'mapper/own.xml': mapper(select('own'), 'p') };
    const found = readMappers({
      files: { 'tuned.xml': tuned },
      packaged,
      args: ['--mapper.mapper-locations=tuned.xml'],
    });

    expect(found.problems).toEqual([]);
    const textFor = (id: 'mariadb' | 'sqlite'): string | undefined =>
      found.statements.get(id)?.get('p.own')?.sql({}).text;
    expect([textFor('mariadb'), textFor('sqlite')]).toEqual(['SELECT 2', 'SELECT 1']);
  });
});

it('C4: a pattern that matches no file gives a warning, and a pattern that matches one does not', () => {
  const folder = temporaryFolder('patterns');
  writeFileSync(join(folder, 'it.xml'), mapper(select('x')));
  const args = ['--mapper.mapper-locations=file:none/*.xml,file:*.xml'];
  const inputs = { args, variables: {}, workingFolder: folder, packageFolder: folder };

  const found = mapperPatternsMatch.check(new RuleFacts(loadServiceConfiguration(inputs), inputs));

  expect(found).toMatchObject([{ severity: 'warning', what: 'No file matches the pattern file:none/*.xml' }]);
});

describe('mapper.config-location', () => {
  const configuration = (content: string): string => `<configuration>\n${content}\n</configuration>`;

  it.each([
    ['another root', '<mapper/>', '<mapper> is not known in the file'],
    ['environments', configuration('<environments/>'), '<environments> is not known in <configuration>'],
    ['plugins', configuration('<plugins/>'), '<plugins> is not known in <configuration>'],
    [
      'an unknown setting',
      setting('lazyLoadingEnabled', 'true'),
      'The setting lazyLoadingEnabled="true" cannot be used',
    ],
    ['an inherited name as setting', setting('constructor', 'true'), 'The setting constructor="true" cannot be used'],
    ['a malformed setting', setting('callSettersOnNulls', 'on'), 'The setting callSettersOnNulls="on" cannot be used'],
    ['no limit', setting('defaultStatementTimeout', '0'), 'The setting defaultStatementTimeout="0" cannot be used'],
    ['a missing mapper', configuration('<mappers><mapper resource="gone.xml"/></mappers>'), 'classpath:gone.xml'],
    ['a class as mapper', configuration('<mappers><mapper class="A"/></mappers>'), '<mapper> has no attribute class'],
    ['no location of a mapper', configuration('<mappers><mapper/></mappers>'), '<mapper> needs one of the attributes'],
    ['bad XML', '<configuration>', 'a tag is not closed'],
  ])('a file with %s is reported', (_, xml, problem) => {
    const problems = problemsOf({ 'it.xml': xml }, ['--mapper.config-location=file:it.xml']);

    expect(problems.join('\n')).toContain(problem);
  });

  it('is reported if it names no file or several files', () => {
    const files = { 'a.xml': '<configuration/>', 'b.xml': '<configuration/>' };

    expect(problemsOf(files, ['--mapper.config-location=file:c.xml'])[0]).toContain('there is no such file');
    expect(problemsOf(files, ['--mapper.config-location=file:*.xml'])[0]).toContain('it must name one file');
  });

  it('the statement timeout of the file is in force, unless a key is set by the operator', () => {
    const files = { 'it.xml': setting('defaultStatementTimeout', '7') };
    const location = '--mapper.config-location=file:it.xml';
    const timeoutOf = (...args: readonly string[]): number | undefined =>
      readMappers({ files, args }).settings.defaultStatementTimeout?.milliseconds;

    expect(timeoutOf(location)).toBe(7000);
    expect(timeoutOf(location, '--mapper.configuration.default-statement-timeout=9')).toBe(9000);
    expect(timeoutOf()).toBe(30_000);
  });

  function setting(name: string, value: string): string {
    return configuration(`<settings><setting name="${name}" value="${value}"/></settings>`);
  }
});

it('the packaged mapper files have no problems', () => {
  const found = readMappers({});

  expect(found.problems).toEqual([]);
  for (const engine of ['sqlite', 'mariadb', 'mysql'] as const) {
    expect([...(found.statements.get(engine)?.keys() ?? [])].sort()).toEqual([
      ...['events.reasons', 'events.report', 'events.search', 'expiry.deleteExpired', 'expiry.expiredKeys'],
    ]);
  }
});
