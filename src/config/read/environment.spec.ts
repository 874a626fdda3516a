import { expect, it } from 'vitest';
import { readArguments } from './arguments.js';
import { Environment } from './environment.js';
import { KeyName } from '../names/key-name.js';
import { ConfigSource } from './source.js';

/** `-D` lies below the command line. */
function environment(...args: string[]): Environment {
  const { commandLine, systemProperties } = readArguments(args);
  return new Environment([commandLine, systemProperties]);
}

it('fills a placeholder from the highest source that has the key, in any spelling', () => {
  expect(environment('-Da.b-c=low', '--A.bC=high').fill('${a.b_c}')).toMatchObject({ text: 'high' });
});

it('fills a placeholder by the exact text an author wrote', () => {
  expect(environment('--A_B=x').fill('${A_B}')).toMatchObject({ text: 'x' });
});

it('fills a placeholder with a dash from a variable that has an underscore there', () => {
  const variables = new ConfigSource('environment', 'systemEnvironment', [
    { key: KeyName.parse('a.b.c'), spelled: 'A_B_C', text: 'x', origin: { kind: 'variable', name: 'A_B_C' } },
  ]);

  expect(new Environment([variables]).fill('${a.b-c}')).toMatchObject({ text: 'x' });
  expect(new Environment([variables]).fill('${ab-c:none}')).toMatchObject({ text: 'none' });
});

it('fills a placeholder with a whole sequence, in the order of its indexes', () => {
  const args = ['--a[10]=k', '--a[1]=y', '--a[0]=x', '--a[0].b=z', '--a.c=w', '-Da=low'];

  expect(environment(...args).fill('${a}')).toMatchObject({ text: 'x,y,k' });
});

it('fills no placeholder with a sequence that has no first element', () => {
  expect(environment('--a[1]=y', '-Da=low').fill('${a}')).toMatchObject({ text: 'low' });
});

it('for display, leaves what cannot be filled in the middle of what can', () => {
  const text = '${a} ${none} ${half} ${none:y} ${circle} \\${a}';

  const filled = environment('--a=x', '--circle=${circle}', '--half=${a}-${none}').fillForDisplay(text);

  expect(filled).toMatchObject({ text: 'x ${none} x-${none} y ${circle} ${a}', isWhole: false });
});

it('for display, leaves a text as written whose placeholders do not end', () => {
  const args = Array.from({ length: 300 }, (_, n) => `--deep.n${n}=\${deep.n${n + 1}}`);

  expect(environment(...args).fillForDisplay('${deep.n0}')).toMatchObject({ text: '${deep.n0}', isWhole: false });
});

it('puts what the running service knows above everything that was read', () => {
  const published = environment('--local.server.port=1');

  published.publish({ 'local.server.port': 40_000 });

  expect(published.fill('${local.server.port}')).toMatchObject({ text: '40000' });
  expect(published.sources.map(({ name }) => name)).toEqual(['server.ports', 'commandLineArgs', 'systemProperties']);
});

it('lists every source that has a key, the highest first', () => {
  const held = environment('-Da.b=low', '--aB=other', '--a.b=high').occurrences(KeyName.parse('A.B'));

  expect(held.map(({ source, entry }) => [source.name, entry.text])).toEqual([
    ['commandLineArgs', 'high'],
    ['systemProperties', 'low'],
  ]);
});
