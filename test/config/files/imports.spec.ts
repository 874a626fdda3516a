import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inForce, place, problemsOf, valueOf } from '../support.js';

describe('an import', () => {
  it('wins over the document that names it, wherever in it the import stands', () => {
    const at = place({
      'work/application.yml': 'test.key: declaring\napp.config.import: imported.yml\ntest.other: declaring\n',
      'work/imported.yml': 'test.key: imported\ntest.other: imported\n',
    });

    const reading = at.read();

    expect(inForce(reading, 'test.key')).toEqual({
      value: 'imported',
      origin: 'file [imported.yml] - 1:11, imported from file [application.yml] - 2:20',
    });
    expect(valueOf(reading, 'test.other')).toBe('imported');
  });

  it('loses against the next document of the file, and against every higher file', () => {
    const at = place({
      'work/application.yml': 'app.config.import: imported.yml\n---\ntest.key: next document\n',
      'work/config/application.yml': 'test.other: higher file\n',
      'work/imported.yml': 'test.key: imported\ntest.other: imported\n',
    });

    const reading = at.read();

    expect(valueOf(reading, 'test.key')).toBe('next document');
    expect(valueOf(reading, 'test.other')).toBe('higher file');
  });

  it.each([
    ['a text', 'app.config.import: one.yml,two.yml\n'],
    ['a text with blanks', 'app.config.import: " one.yml , two.yml "\n'],
    ['a list', 'app.config.import: [one.yml, two.yml]\n'],
    ['a list in block form', 'app:\n  config:\n    import:\n      - one.yml\n      - two.yml\n'],
    ['a nested spelling', 'app.config:\n  IMPORT: one.yml,two.yml\n'],
  ])('written as %s lets the later entry win', (_, text) => {
    const at = place({
      'work/application.yml': text,
      'work/one.yml': 'test.key: one\ntest.only: one\n',
      'work/two.yml': 'test.key: two\n',
    });

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toBe('two');
    expect(valueOf(reading, 'test.only')).toBe('one');
  });

  it('written in .properties by index works too', () => {
    const at = place({
      'work/application.properties': 'app.config.import[1]=two.yml\napp.config.import[0]=one.yml\n',
      'work/one.yml': 'test.key: one\n',
      'work/two.yml': 'test.key: two\n',
    });

    expect(inForce(at.read(), 'test.key')).toEqual({
      value: 'two',
      origin: 'file [two.yml] - 1:11, imported from file [application.properties] - 1:22',
    });
  });

  it.each([
    [{ args: ['--app.config.import[0]=one.yml', '--app.config.import[1]=two.yml'] }],
    [{ args: ['--app.config.import=one.yml', '--app.config.import=two.yml'] }],
    [{ variables: { APP_CONFIG_IMPORT_0: 'one.yml', APP_CONFIG_IMPORT_1: 'two.yml' } }],
  ])('of the process may be a list in any of its forms: %o', (given) => {
    const at = place({ 'work/one.yml': 'test.key: one\ntest.only: one\n', 'work/two.yml': 'test.key: two\n' });

    const reading = at.read(given);

    expect(valueOf(reading, 'test.key')).toBe('two');
    expect(valueOf(reading, 'test.only')).toBe('one');
  });

  it('that is empty imports nothing', () => {
    const at = place({
      'work/application.yml': 'app.config.import:\n',
      'work/config/application.yml': 'app.config.import: []\n',
    });

    expect(problemsOf(at.read())).toEqual([]);
  });

  it('named twice counts where it weighs most, and is read once', () => {
    const at = place({
      'work/application.yml': 'app.config.import: [one.yml, two.yml, ./one.yml, file:./one.yml]\n',
      'work/one.yml': 'test.key: one\n',
      'work/two.yml': 'test.key: two\n',
    });

    const reading = at.read();

    expect(valueOf(reading, 'test.key')).toBe('one');
    expect(reading.environment.sources.filter(({ kind }) => kind === 'file')).toHaveLength(3);
  });

  it('named by two files counts for the higher one', () => {
    const at = place({
      'work/application.yml': 'app.config.import: shared.yml\ntest.key: low\n',
      'work/config/application.yml': 'app.config.import: file:./shared.yml\ntest.key: high\n',
      'work/shared.yml': 'test.key: shared\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('shared');
  });

  it('named inside and outside of the package counts for the file outside', () => {
    const at = place({
      'package/application.yml': 'app.config.import: file:./shared.yml\n',
      'work/application.yml': 'app.config.import: shared.yml\ntest.key: work\n',
      'work/shared.yml': 'test.key: shared\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('shared');
  });

  it('of each other ends', () => {
    const at = place({
      'work/application.yml': 'app.config.import: one.yml\n',
      'work/one.yml': 'app.config.import: two.yml\ntest.key: one\n',
      'work/two.yml': 'app.config.import: [one.yml, two.yml, application.yml]\ntest.key: two\n',
    });

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toBe('two');
  });

  it('that goes on through too many files is refused', () => {
    const files = Array.from({ length: 200 }, (_, index): [string, string] => [
      `work/${index}.yml`,
      `app.config.import: ${index + 1}.yml\n`,
    ]);
    const at = place({ ...Object.fromEntries(files), 'work/200.yml': '' });

    const problems = problemsOf(at.read({ args: ['--app.config.import=0.yml'] }));

    expect(problems).toHaveLength(1);
    expect(problems[0]?.facts['Reason']).toBe('more than 100 files import each other in a row');
  });

  it('of a folder reads the files of the usual name there', () => {
    const at = place({
      'work/application.yml': 'app.config.import: extra/\n',
      'work/extra/application.yml': 'test.key: extra\n',
      'work/extra/application-prod.yml': 'test.key: extra prod\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('extra');
    expect(valueOf(at.read({ variables: { APP_PROFILES_ACTIVE: 'prod' } }), 'test.key')).toBe('extra prod');
  });

  it('of two places joined by ";" puts the profile of the one over the other', () => {
    const files = {
      'work/one/application-prod.yml': 'test.key: one prod\n',
      'work/two/application.yml': 'test.key: two\n',
    };
    const variables = { APP_PROFILES_ACTIVE: 'prod' };

    const joined = place({ ...files, 'work/application.yml': 'app.config.import: one/;two/\n' });

    expect(valueOf(joined.read({ variables }), 'test.key')).toBe('one prod');
  });

  it('from the command line wins over every file', () => {
    const at = place({ 'work/imported.yml': 'test.key: imported\n', 'work/config/application.yml': 'test.key: x\n' });

    const reading = at.read({ args: ['--app.config.import=imported.yml'] });

    expect(inForce(reading, 'test.key')).toEqual({
      value: 'imported',
      origin: 'file [imported.yml] - 1:11, imported from "app.config.import" from property source "commandLineArgs"',
    });
  });

  it('from the command line replaces that of the environment, as any list does', () => {
    const at = place({ 'work/one.yml': 'test.one: x\n', 'work/two.yml': 'test.two: x\n' });

    const reading = at.read({ args: ['--app.config.import=one.yml'], variables: { APP_CONFIG_IMPORT: 'two.yml' } });

    expect(valueOf(reading, 'test.one')).toBe('x');
    expect(inForce(reading, 'test.two')).toBeUndefined();
  });

  it('that is missing fails the start with the position of the entry and the files that led to it', () => {
    const at = place({
      'work/application.yml': 'app.config.import: sub/one.yml\n',
      'work/sub/one.yml': 'app:\n  config:\n    import:\n      - optional:gone-too.yml\n      - gone.yml\n',
    });

    expect(problemsOf(at.read())).toEqual([
      {
        what: 'The location gone.yml does not exist',
        action:
          'Check gone.yml, or write optional:gone.yml if it need not be there; app.config.on-not-found=ignore makes every location optional.',
        facts: {
          Property: 'app.config.import',
          Value: '"gone.yml"',
          Origin: 'file [sub/one.yml] - 5:9, imported from file [application.yml] - 1:20',
        },
      },
    ]);
  });
});

describe('a path in an import', () => {
  it('starts at the file that names it', () => {
    const at = place({
      'work/config/application.yml': 'app.config.import: [one.yml, ../two.yml]\n',
      'work/config/one.yml': 'test.one: config\n',
      'work/one.yml': 'test.one: work\n',
      'work/two.yml': 'test.two: work\n',
    });

    const reading = at.read();

    expect(inForce(reading, 'test.one')?.origin).toMatch(/^file \[config\/one\.yml\] - 1:11/);
    expect(inForce(reading, 'test.two')?.origin).toMatch(/^file \[two\.yml\] - 1:11/);
  });

  it('starts at the working folder with file:', () => {
    const at = place({
      'work/config/application.yml': 'app.config.import: file:one.yml\n',
      'work/config/one.yml': 'test.one: config\n',
      'work/one.yml': 'test.one: work\n',
    });

    expect(valueOf(at.read(), 'test.one')).toBe('work');
  });

  it('C6: starts at the file that names it, also where a wildcard found that one', () => {
    const at = place({
      'work/config/a/application.yml': 'app.config.import: one.yml\n',
      'work/config/a/one.yml': 'test.one: a\n',
      'work/config/b/one.yml': 'test.one: b\n',
      'package/application.yml': 'app.config.import: classpath:two.yml\n',
      'package/two.yml': 'app.config.import: three.yml\n',
      'package/three.yml': 'test.three: package\n',
      'work/three.yml': 'test.three: work\n',
    });

    const reading = at.read();

    expect(valueOf(reading, 'test.one')).toBe('a');
    expect(valueOf(reading, 'test.three')).toBe('package');
  });

  it('starts at the packaged file that names it', () => {
    const at = place({
      'package/config/application.yml': 'app.config.import: [one.yml, classpath:two.yml]\n',
      'package/config/one.yml': 'test.one: package/config\n',
      'package/two.yml': 'test.two: package\n',
      'work/one.yml': 'test.one: work\n',
    });

    const reading = at.read();

    expect(inForce(reading, 'test.one')).toEqual({
      value: 'package/config',
      origin:
        'class path resource [config/one.yml] - 1:11, imported from class path resource [config/application.yml] - 1:21',
    });
    expect(inForce(reading, 'test.two')?.origin).toMatch(/^class path resource \[two\.yml\] - 1:11/);
  });

  it('may have a wildcard in the package as elsewhere', () => {
    const at = place({
      'package/application.yml': 'app.config.import: "*/one.yml"\n',
      'package/parts/one.yml': 'test.one: x\n',
    });

    expect(valueOf(at.read(), 'test.one')).toBe('x');
  });

  it('that is absolute leads out of the package', () => {
    const at = place({ 'elsewhere/one.yml': 'test.one: x\n' });
    const path = join(at.folder, 'elsewhere/one.yml');
    const importing = place({ 'package/application.yml': `app.config.import: ${path}\n` });

    expect(inForce(importing.read(), 'test.one')?.origin).toMatch(`file [${path}] - 1:11`);
  });

  it('goes on from a file that lies outside of the working folder', () => {
    const at = place({
      'work/application.yml': 'app.config.import: ../elsewhere/one.yml\n',
      'elsewhere/one.yml': 'app.config.import: two.yml\n',
      'elsewhere/two.yml': 'test.two: x\n',
    });

    expect(valueOf(at.read(), 'test.two')).toBe('x');
  });

  it('may be made of values that any file has', () => {
    const at = place({
      'package/application.yml': 'app.config.import: optional:file:./${region:none}.yml\ntest.key: package\n',
      'work/application.yml': 'region: eu\n',
      'work/eu.yml': 'test.key: eu\n',
      'work/none.yml': 'test.key: none\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('C6: is made of a value of a lower file rather than of a default', () => {
    const at = place({
      'package/application.yml': 'region: eu\n',
      'work/application.yml': 'app.config.import: ${region:none}.yml\n',
      'work/eu.yml': 'test.key: eu\n',
      'work/none.yml': 'test.key: none\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('may be made of a value of a lower file', () => {
    const at = place({
      'package/application.yml': 'region: eu\n',
      'work/application.yml': 'app.config.import: ${region}.yml\n',
      'work/eu.yml': 'test.key: eu\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('fails the start when a part of it has no value', () => {
    const at = place({ 'work/application.yml': 'app.config.import: ${region}.yml\n' });

    const problems = problemsOf(at.read());

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      what: 'The placeholder ${region} of app.config.import has no value',
      facts: { Value: '"${region}.yml"', Origin: 'file [application.yml] - 1:20' },
    });
  });
});

describe('profile variants of an imported file', () => {
  const files = {
    'work/application.yml': 'app.config.import: [one.yml, two.yml]\ntest.key: declaring\n',
    'work/one.yml': 'test.key: one\n',
    'work/two.yml': 'test.key: two\n',
  };
  const variables = { APP_PROFILES_ACTIVE: 'prod' };

  it('win over all files the document imports', () => {
    const at = place({ ...files, 'work/one-prod.yml': 'test.key: one prod\n' });

    expect(inForce(at.read({ variables }), 'test.key')).toEqual({
      value: 'one prod',
      origin: 'file [one-prod.yml] - 1:11, imported from file [application.yml] - 1:21',
    });
  });

  it('C1: win over the profile file of the document', () => {
    const at = place({
      ...files,
      'work/one-prod.yml': 'test.key: one prod\n',
      'work/application-prod.yml': 'test.key: application prod\n',
    });

    expect(valueOf(at.read({ variables }), 'test.key')).toBe('one prod');
  });

  it('C1: are read once where a file above imports a default file of the package that is broken', () => {
    const at = place({
      'work/application.yml': 'app.config.import: classpath:/application.yml\n',
      'package/application.yml': 'a: [\n',
    });

    expect(problemsOf(at.read())).toHaveLength(1);
  });

  it('need not be there', () => {
    const at = place({ ...files, 'work/application-prod.yml': '' });

    expect(problemsOf(at.read({ variables }))).toEqual([]);
  });

  it('of a file without extension carry the profile at the end', () => {
    const at = place({
      'work/application.yml': 'app.config.import: conf[.yaml]\n',
      'work/conf': 'test.key: conf\n',
      'work/conf-prod': 'test.key: conf prod\n',
    });

    expect(valueOf(at.read({ variables }), 'test.key')).toBe('conf prod');
  });

  it('that were imported by name make their profile known', () => {
    const at = place({
      'work/application.yml': 'app.config.import: application-prod.yml\n',
      'work/application-prod.yml': 'test.key: x\n',
    });

    expect(problemsOf(at.read({ variables }))).toEqual([]);
  });

  it('may import in turn, with what only they know', () => {
    const at = place({
      'work/application-prod.yml': 'app.config.import: ${place}.yml\nplace: cellar\n',
      'work/cellar.yml': 'test.key: cellar\n',
      'work/cellar-prod.yml': 'test.other: cellar prod\n',
    });

    const reading = at.read({ variables });

    expect(valueOf(reading, 'test.key')).toBe('cellar');
    expect(valueOf(reading, 'test.other')).toBe('cellar prod');
  });
});

describe('a document in a variable', () => {
  it('is .properties unless the type says otherwise', () => {
    const args = ['--app.config.import=env:ONE,env:TWO[.yaml]'];
    const variables = { ONE: 'test.one=1\ntest.two=1', TWO: 'test:\n  two: 2' };

    const reading = place().read({ args, variables });

    expect(inForce(reading, 'test.one')).toEqual({
      value: '1',
      origin:
        'System Environment Property "ONE" - 1:10, imported from "app.config.import" from property source "commandLineArgs"',
    });
    expect(inForce(reading, 'test.two')?.origin).toMatch(/^System Environment Property "TWO" - 2:8/);
  });

  it('may have several documents and imports of its own, which start at the working folder', () => {
    const at = place({ 'work/one.yml': 'test.one: x\n' });
    const variables = { DOC: 'app.config.import=one.yml\n#---\ntest.two=2' };

    const reading = at.read({ args: ['--app.config.import=env:DOC'], variables });

    expect(valueOf(reading, 'test.one')).toBe('x');
    expect(valueOf(reading, 'test.two')).toBe('2');
  });

  it('that is broken is told with its position', () => {
    const reading = place().read({ args: ['--app.config.import=env:DOC[.yml]'], variables: { DOC: 'a: b\nc: [' } });

    expect(problemsOf(reading)[0]?.facts['Origin']).toMatch(/^System Environment Property "DOC" - 2:5/);
  });
});
