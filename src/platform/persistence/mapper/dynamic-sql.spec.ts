import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/runner/property.js';
import { lineOf } from '../../../config/problem.js';
import { MAPPER_FILE } from './mapper-grammar.js';
import { MapperProblems } from './mapper-problems.js';
import { readMapperXml } from './mapper-xml.js';
import { Mapping } from './mapping.js';
import { Declarations } from './statement-compiler.js';

let order: readonly string[] = ['id', 'id DESC'];
new Mapping('vectors', { texts: { order: () => order } });

/** Compiles `content` as the text of a select, or of another element with the rest of a mapper file behind it. */
function compiled(content: string, kind: string, rest: string): { problems: string[]; render: Render } {
  const attributes = kind === 'select' ? ' resultType="map"' : '';
  const problems = new MapperProblems();
  const declarations = new Declarations(problems);
  const xml = `<mapper namespace="vectors"><${kind} id="it"${attributes}>${content}</${kind}>${rest}</mapper>`;
  const root = readMapperXml(xml, { kind: 'file', path: 'vectors.xml' }, MAPPER_FILE, problems);
  if (root) declarations.addFile(root);
  const statement = declarations.compile('sqlite', { packages: [], aliases: new Map() }).get('vectors.it');
  return {
    problems: problems.problems.map(lineOf),
    render: (parameters) => {
      const { text = '', bound = [] } = statement?.sql({ ...parameters }) ?? {};
      const sql = text.replaceAll(/\s+/g, ' ').trim();
      return { text, sql, values: bound.map(({ value }) => value), names: bound.map(({ name }) => name) };
    },
  };
}

type Render = (parameters: object) => {
  text: string;
  sql: string;
  values: readonly unknown[];
  names: readonly string[];
};

function rendered(content: string, parameters: object, kind = 'select', rest = ''): ReturnType<Render> {
  const { problems, render } = compiled(content, kind, rest);
  expect(problems).toEqual([]);
  return render(parameters);
}

describe('a statement', () => {
  it.each([
    ['SELECT 1', {}, 'SELECT 1', []],
    ['a = #{x}', { x: 1 }, 'a = ?', [1]],
    ['a = #{ x , jdbcType=VARCHAR }', { x: 'y' }, 'a = ?', ['y']],
    ['a = #{x.y.z}', { x: { y: { z: null } } }, 'a = ?', [null]],
    ['a = #{x}', { x: undefined }, 'a = ?', [null]],
    ['a = #{x}', { x: true }, 'a = ?', [1]],
    ['a &lt; #{x} <!-- why -->', { x: 2 }, 'a < ?', [2]],
    ['<![CDATA[ a < #{x} && b ]]>', { x: 2 }, 'a < ? && b', [2]],
    ["a = '#' AND b = #{x}", { x: 2 }, "a = '#' AND b = ?", [2]],
    ['ORDER BY ${order}', { order: 'id DESC' }, 'ORDER BY id DESC', []],
  ])('%s with %j is %s', (content, parameters, sql, values) => {
    expect(rendered(content, parameters)).toMatchObject({ sql, values });
  });

  it('the text of a statement is sent as it is written, with blanks inside quotes and comments', () => {
    const content = "a = 'two  blanks' -- why\n AND b = 1";

    expect(compiled(content, 'select', '').render({}).text).toBe(content);
  });
});

const IF = 'A<if test="x != null"> AND x = #{x}</if>';
const CHOOSE = '<choose><when test="x">X</when><when test="y">Y</when><otherwise>Z</otherwise></choose>';
const WHERE = '<where><if test="x != null">AND x = #{x}</if> <if test="y != null">OR y = #{y}</if></where>';
const EACH = '<foreach collection="xs" item="x" index="i" open="(" close=")" separator=", ">#{x}</foreach>';

describe('a dynamic tag', () => {
  it.each([
    [IF, { x: 1 }, 'A AND x = ?', [1]],
    [IF, {}, 'A', []],
    [CHOOSE, { x: true, y: true }, 'X', []],
    [CHOOSE, { y: 1 }, 'Y', []],
    [CHOOSE, {}, 'Z', []],
    ['<choose><when test="x">X</when></choose>A', {}, 'A', []],
    [WHERE, { x: 1, y: 2 }, 'WHERE x = ? OR y = ?', [1, 2]],
    [WHERE, { y: 2 }, 'WHERE y = ?', [2]],
    [`A ${WHERE}`, {}, 'A', []],
    ['<where>and(a = 1)</where>', {}, 'WHERE (a = 1)', []],
    ['<where>\n or\n a = 1</where>', {}, 'WHERE a = 1', []],
    ['<where>android = 1</where>', {}, 'WHERE android = 1', []],
    [`id IN ${EACH}`, { xs: ['a', 'b'] }, 'id IN (?, ?)', ['a', 'b']],
    [EACH.replace('#{x}', '#{x.id} = #{i}'), { xs: [{ id: 'a' }, { id: 'b' }] }, '(? = ?, ? = ?)', ['a', 0, 'b', 1]],
    [`<if test="a"><where>${EACH}</where></if>`, { a: true, xs: [1] }, 'WHERE (?)', [1]],
  ])('%s with %j is %s', (content, parameters, sql, values) => {
    expect(rendered(content, parameters)).toMatchObject({ sql, values });
  });

  it('values of a loop are named by their position', () => {
    expect(rendered(EACH, { xs: [1, 2] }).names).toEqual(['x[0]', 'x[1]']);
  });

  it('values of a loop inside a loop are named by both positions, the outer one first', () => {
    const inner = EACH.replace('xs', 'y').replaceAll('"x"', '"z"').replace('#{x}', '#{z}');
    const outer = EACH.replace('#{x}', inner).replace('item="x"', 'item="y"');

    expect(rendered(outer, { xs: [[1], [2, 3]] }).names).toEqual(['z[0][0]', 'z[1][0]', 'z[1][1]']);
  });

  it('a fragment is part of every statement that includes it', () => {
    const fragments = '<sql id="one">a = #{a} <include refid="vectors.two"/></sql><sql id="two">b = #{b}</sql>';

    expect(rendered('<include refid="one"/>', { a: 1, b: 2 }, 'select', fragments).sql).toBe('a = ? b = ?');
  });
});

describe('a call that would not do what it says', () => {
  it.each([
    ['#{x}', {}, 'vectors.it has no parameter x'],
    ['#{x.y}', { x: null }, 'vectors.it has no parameter x.y'],
    ['#{x}', { x: {} }, 'the parameter x of vectors.it cannot be stored'],
    ['#{x}', { x: Number.NaN }, 'the parameter x of vectors.it cannot be stored'],
    [EACH, { xs: [] }, '<foreach> of vectors.it needs a list with an element'],
    [EACH, {}, '<foreach> of vectors.it needs a list with an element'],
    [EACH, { xs: 'abc' }, '<foreach> of vectors.it needs a list with an element'],
    [
      '${order}',
      { order: 'id; DROP TABLE account' },
      'the value of ${order} is not one of the texts that vectors allows',
    ],
    ['${order}', {}, 'the value of ${order} is not one of the texts that vectors allows'],
    ['${order}', { order: ['id'] }, 'the value of ${order} is not one of the texts that vectors allows'],
  ])('%s with %j fails', (content, parameters, message) => {
    const { render } = compiled(content, 'select', '');

    expect(() => render(parameters)).toThrow(message);
  });

  it.each([
    ['update', WHERE],
    ['delete', WHERE],
  ])('an <%s> whose conditions all fall away in %s does not change every row', (kind, where) => {
    const { problems, render } = compiled(`CHANGE t ${where}`, kind, '');

    expect(problems).toEqual([]);
    expect(render({ x: 1 }).sql).toBe('CHANGE t WHERE x = ?');
    expect(() => render({})).toThrow('no condition of vectors.it applies, so it would change every row');
  });

  it('an allowed text that is no identifier is rejected', () => {
    order = ['id', '1; DROP TABLE account'];

    expect(() => compiled('${order}', 'select', '').render({ order: order[1] })).toThrow('not one of the texts');
    expect(compiled('${order}', 'select', '').render({ order: 'id' }).sql).toBe('id');
    order = ['id', 'id DESC'];
  });
});

describe('a statement with a problem', () => {
  it.each([
    ['a = ?', '"?" is not accepted'],
    ["a = '#{x}'", 'a reference inside quotes would not be bound'],
    ["a LIKE '%${order}%'", 'a reference inside quotes would not be bound'],
    ['#{x', 'a "}" is missing'],
    ['#{}', '#{} is not a parameter'],
    ['#{x[0]}', '#{x[0]} is not a parameter'],
    ['#{x.__proto__}', '#{x.__proto__} is not a parameter'],
    ['#{constructor.name}', '#{constructor.name} is not a parameter'],
    ['#{x, typeHandler=Y}', '#{x, typeHandler=Y} is not a parameter'],
    ['${table}', 'the program allows no ${table} in vectors'],
    ['${a.b}', 'the program allows no ${a.b} in vectors'],
    ['${__proto__}', 'the program allows no ${__proto__} in vectors'],
    ['<iff test="x">A</iff>', '<iff> is not known in <select>'],
    ['<set>a = 1</set>', '<set> is not known in <select>'],
    ['<when test="x">A</when>', '<when> is not known in <select>'],
    ['<if>A</if>', '<if> needs the attribute test'],
    ['<if test="">A</if>', '<if> needs the attribute test'],
    ['<if test="x" else="y">A</if>', '<if> has no attribute else'],
    ['<if test="x ==">A</if>', 'Reason: "x ==" is not understood'],
    ['<choose>A</choose>', '<choose> contains no text'],
    ['<choose/>', '<choose> needs a <when>'],
    ['<choose><if test="x">A</if></choose>', '<if> is not known in <choose>'],
    ['<choose><otherwise>A</otherwise><when test="x">B</when></choose>', '<otherwise> is the last element of <choose>'],
    ['<foreach item="x">A</foreach>', '<foreach> needs the attribute collection'],
    ['<foreach collection="xs" open="#{y}">A</foreach>', 'The attribute open="#{y}" of <foreach> is invalid'],
    ['<foreach collection="xs" item="__proto__">A</foreach>', 'item="__proto__" of <foreach> is invalid'],
    ['<include refid="two"/>', 'The fragment two is unknown'],
    ['<include refid="itself"/>', 'The fragment itself includes itself'],
    ['<include refid="one"><property name="a" value="b"/></include>', '<property> is not known in <include>'],
    ['', 'The statement vectors.it is empty'],
    ['<selectKey>A</selectKey>', '<selectKey> is not known in <select>'],
    ['<if test="x">'.repeat(50) + '</if>'.repeat(50), 'its elements are nested too deeply'],
  ])('%s is reported: %s', (content, problem) => {
    const rest = '<sql id="one">A</sql><sql id="itself">A <include refid="itself"/></sql>';
    const { problems } = compiled(content, 'select', rest);

    expect(problems.join('\n')).toContain(problem);
  });
});

it.each([
  ['multiply', 30, (before: string) => `<include refid="${before}"/><include refid="${before}"/>`],
  ['form a long chain', 2000, (before: string) => `<include refid="${before}"/>`],
])('fragments that %s are reported at once', (_, length, content: (before: string) => string) => {
  const fragments = Array.from({ length }, (__, at) => `<sql id="f${at + 1}">${content(`f${at}`)}</sql>`);
  const { problems } = compiled(`<include refid="f${length}"/>`, 'select', `<sql id="f0">A</sql>${fragments.join('')}`);

  expect(problems.join('\n')).toContain('includes itself, or is included too deeply');
});

it('hostile values never change the text of a statement', () => {
  const content = `SELECT * FROM t ${WHERE} AND id IN ${EACH}`;
  const { render } = compiled(content, 'select', '');
  const { sql } = render({ x: 'a', y: 'b', xs: ['c'] });
  const hostile = fc.oneof(
    fc.constantFrom("' OR '1'='1", '${order}', '#{x}', '?', '\\', '"; DROP TABLE t; --', '__proto__', '\0', '`'),
    fc.string({ unit: 'binary' }),
  );

  fc.assert(
    fc.property(hostile, hostile, hostile, (x, y, each) => {
      const found = render({ x, y, xs: [each] });
      expect(found.sql).toBe(sql);
      expect(found.values).toEqual([x, y, each]);
    }),
  );
});
