import { expect, it } from 'vitest';
import { readArguments } from './arguments.js';
import { Environment } from './environment.js';
import { KeyName } from '../names/key-name.js';
import { ConfigSource } from './source.js';

/** The environment of these arguments; `-D` ranks below the command line. */
function environment(...args: string[]): Environment {
  const { commandLine, systemProperties } = readArguments(args);
  return new Environment([commandLine, systemProperties]);
}

it('a placeholder is resolved from the highest source that has the key in any spelling', () => {
  expect(environment('-Da.b-c=low', '--A.bC=high').fill('${a.b_c}')).toMatchObject({ text: 'high' });
});

it('a placeholder is resolved by the exact spelling of a key', () => {
  expect(environment('--A_B=x').fill('${A_B}')).toMatchObject({ text: 'x' });
});

it('a placeholder with a dash is resolved from a variable with an underscore', () => {
  const variables = new ConfigSource('environment', 'systemEnvironment', [
    { key: KeyName.parse('a.b.c'), spelled: 'A_B_C', text: 'x', origin: { kind: 'variable', name: 'A_B_C' } },
  ]);

  expect(new Environment([variables]).fill('${a.b-c}')).toMatchObject({ text: 'x' });
  expect(new Environment([variables]).fill('${ab-c:none}')).toMatchObject({ text: 'none' });
});

it('a placeholder is resolved from a sequence in the order of its indexes', () => {
  const args = ['--a[10]=k', '--a[1]=y', '--a[0]=x', '--a[0].b=z', '--a.c=w', '-Da=low'];

  expect(environment(...args).fill('${a}')).toMatchObject({ text: 'x,y,k' });
});

it('a placeholder is not resolved from a sequence without a first element', () => {
  expect(environment('--a[1]=y', '-Da=low').fill('${a}')).toMatchObject({ text: 'low' });
});

it('fillForDisplay keeps unresolvable placeholders among resolved ones', () => {
  const text = '${a} ${none} ${half} ${none:y} ${circle} \\${a}';

  const filled = environment('--a=x', '--circle=${circle}', '--half=${a}-${none}').fillForDisplay(text);

  expect(filled).toMatchObject({ text: 'x ${none} x-${none} y ${circle} ${a}', isResolved: false });
});

it('fillForDisplay keeps a text whose placeholders are nested too deeply', () => {
  const args = Array.from({ length: 300 }, (_, n) => `--deep.n${n}=\${deep.n${n + 1}}`);

  expect(environment(...args).fillForDisplay('${deep.n0}')).toMatchObject({ text: '${deep.n0}', isResolved: false });
});

it('facts of the running service override all other sources', () => {
  const published = environment('--local.server.port=1');

  published.publish({ 'local.server.port': 40_000 });

  expect(published.fill('${local.server.port}')).toMatchObject({ text: '40000' });
  expect(published.sources.map(({ name }) => name)).toEqual(['server.ports', 'commandLineArgs', 'systemProperties']);
});

it('occurrences lists every source that has a key, highest first', () => {
  const occurrences = environment('-Da.b=low', '--aB=other', '--a.b=high').occurrences(KeyName.parse('A.B'));

  expect(occurrences.map(({ source, entry }) => [source.name, entry.text])).toEqual([
    ['commandLineArgs', 'high'],
    ['systemProperties', 'low'],
  ]);
});
