import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { effective, place, problemsOf, valueOf } from '../support.js';

describe('imports', () => {
  it('an imported file overrides the importing document, regardless of the position of the import', () => {
    const at = place({
      'work/application.yml': 'test.key: declaring\napp.config.import: imported.yml\ntest.other: declaring\n',
      'work/imported.yml': 'test.key: imported\ntest.other: imported\n',
    });

    const reading = at.read();

    expect(effective(reading, 'test.key')).toEqual({
      value: 'imported',
      origin: 'file [imported.yml] - 1:11, imported from file [application.yml] - 2:20',
    });
    expect(valueOf(reading, 'test.other')).toBe('imported');
  });

  it('the next document and higher files override an imported file', () => {
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
  ])('the later entry of an import written as %s overrides the earlier', (_, text) => {
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

  it('imports in .properties may use indexes', () => {
    const at = place({
      'work/application.properties': 'app.config.import[1]=two.yml\napp.config.import[0]=one.yml\n',
      'work/one.yml': 'test.key: one\n',
      'work/two.yml': 'test.key: two\n',
    });

    expect(effective(at.read(), 'test.key')).toEqual({
      value: 'two',
      origin: 'file [two.yml] - 1:11, imported from file [application.properties] - 1:22',
    });
  });

  it.each([
    [{ args: ['--app.config.import[0]=one.yml', '--app.config.import[1]=two.yml'] }],
    [{ args: ['--app.config.import=one.yml', '--app.config.import=two.yml'] }],
    [{ variables: { APP_CONFIG_IMPORT_0: 'one.yml', APP_CONFIG_IMPORT_1: 'two.yml' } }],
  ])('the process may set imports in any form of a list: %o', (inputs) => {
    const at = place({ 'work/one.yml': 'test.key: one\ntest.only: one\n', 'work/two.yml': 'test.key: two\n' });

    const reading = at.read(inputs);

    expect(valueOf(reading, 'test.key')).toBe('two');
    expect(valueOf(reading, 'test.only')).toBe('one');
  });

  it('an empty import imports nothing', () => {
    const at = place({
      'work/application.yml': 'app.config.import:\n',
      'work/config/application.yml': 'app.config.import: []\n',
    });

    expect(problemsOf(at.read())).toEqual([]);
  });

  it('a file that is imported repeatedly is read once, with its highest precedence', () => {
    const at = place({
      'work/application.yml': 'app.config.import: [one.yml, two.yml, ./one.yml, file:./one.yml]\n',
      'work/one.yml': 'test.key: one\n',
      'work/two.yml': 'test.key: two\n',
    });

    const reading = at.read();

    expect(valueOf(reading, 'test.key')).toBe('one');
    expect(reading.environment.sources.filter(({ kind }) => kind === 'file')).toHaveLength(3);
  });

  it('a file that two files import has the precedence of the higher one', () => {
    const at = place({
      'work/application.yml': 'app.config.import: shared.yml\ntest.key: low\n',
      'work/config/application.yml': 'app.config.import: file:./shared.yml\ntest.key: high\n',
      'work/shared.yml': 'test.key: shared\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('shared');
  });

  it('a file imported inside and outside of the package has the precedence of the outside import', () => {
    const at = place({
      'package/application.yml': 'app.config.import: file:./shared.yml\n',
      'work/application.yml': 'app.config.import: shared.yml\ntest.key: work\n',
      'work/shared.yml': 'test.key: shared\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('shared');
  });

  it('circular imports end', () => {
    const at = place({
      'work/application.yml': 'app.config.import: one.yml\n',
      'work/one.yml': 'app.config.import: two.yml\ntest.key: one\n',
      'work/two.yml': 'app.config.import: [one.yml, two.yml, application.yml]\ntest.key: two\n',
    });

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'test.key')).toBe('two');
  });

  it('a chain of more than 100 imports is rejected', () => {
    const files = Array.from({ length: 200 }, (_, index): [string, string] => [
      `work/${index}.yml`,
      `app.config.import: ${index + 1}.yml\n`,
    ]);
    const at = place({ ...Object.fromEntries(files), 'work/200.yml': '' });

    const problems = problemsOf(at.read({ args: ['--app.config.import=0.yml'] }));

    expect(problems).toHaveLength(1);
    expect(problems[0]?.facts['Reason']).toBe('more than 100 files import each other in a row');
  });

  it('the import of a folder reads its application files', () => {
    const at = place({
      'work/application.yml': 'app.config.import: extra/\n',
      'work/extra/application.yml': 'test.key: extra\n',
      'work/extra/application-prod.yml': 'test.key: extra prod\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('extra');
    expect(valueOf(at.read({ variables: { APP_PROFILES_ACTIVE: 'prod' } }), 'test.key')).toBe('extra prod');
  });

  it('for two locations joined by ";", the profile file of the first overrides the second', () => {
    const files = {
      'work/one/application-prod.yml': 'test.key: one prod\n',
      'work/two/application.yml': 'test.key: two\n',
    };
    const variables = { APP_PROFILES_ACTIVE: 'prod' };

    const joined = place({ ...files, 'work/application.yml': 'app.config.import: one/;two/\n' });

    expect(valueOf(joined.read({ variables }), 'test.key')).toBe('one prod');
  });

  it('an import on the command line overrides every file', () => {
    const at = place({ 'work/imported.yml': 'test.key: imported\n', 'work/config/application.yml': 'test.key: x\n' });

    const reading = at.read({ args: ['--app.config.import=imported.yml'] });

    expect(effective(reading, 'test.key')).toEqual({
      value: 'imported',
      origin: 'file [imported.yml] - 1:11, imported from "app.config.import" from property source "commandLineArgs"',
    });
  });

  it('imports on the command line replace those of the environment', () => {
    const at = place({ 'work/one.yml': 'test.one: x\n', 'work/two.yml': 'test.two: x\n' });

    const reading = at.read({ args: ['--app.config.import=one.yml'], variables: { APP_CONFIG_IMPORT: 'two.yml' } });

    expect(valueOf(reading, 'test.one')).toBe('x');
    expect(effective(reading, 'test.two')).toBeUndefined();
  });

  it('a missing import prevents startup, and the error names its position and the importing files', () => {
    const at = place({
      'work/application.yml': 'app.config.import: sub/one.yml\n',
      'work/sub/one.yml': 'app:\n  config:\n    import:\n      - optional:gone-too.yml\n      - gone.yml\n',
    });

    expect(problemsOf(at.read())).toEqual([
      {
        what: 'The location gone.yml does not exist',
        action:
          'Check gone.yml, or write optional:gone.yml if it may be missing; app.config.on-not-found=ignore makes every location optional.',
        facts: {
          Property: 'app.config.import',
          Value: '"gone.yml"',
          Origin: 'file [sub/one.yml] - 5:9, imported from file [application.yml] - 1:20',
        },
      },
    ]);
  });
});

describe('paths in imports', () => {
  it('a path is relative to the importing file', () => {
    const at = place({
      'work/config/application.yml': 'app.config.import: [one.yml, ../two.yml]\n',
      'work/config/one.yml': 'test.one: config\n',
      'work/one.yml': 'test.one: work\n',
      'work/two.yml': 'test.two: work\n',
    });

    const reading = at.read();

    expect(effective(reading, 'test.one')?.origin).toMatch(/^file \[config\/one\.yml\] - 1:11/);
    expect(effective(reading, 'test.two')?.origin).toMatch(/^file \[two\.yml\] - 1:11/);
  });

  it('a path with file: is relative to the working folder', () => {
    const at = place({
      'work/config/application.yml': 'app.config.import: file:one.yml\n',
      'work/config/one.yml': 'test.one: config\n',
      'work/one.yml': 'test.one: work\n',
    });

    expect(valueOf(at.read(), 'test.one')).toBe('work');
  });

  it('C6: a path is relative to the importing file, also when a wildcard found that file', () => {
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

  it('a path is relative to the importing packaged file', () => {
    const at = place({
      'package/config/application.yml': 'app.config.import: [one.yml, classpath:two.yml]\n',
      'package/config/one.yml': 'test.one: package/config\n',
      'package/two.yml': 'test.two: package\n',
      'work/one.yml': 'test.one: work\n',
    });

    const reading = at.read();

    expect(effective(reading, 'test.one')).toEqual({
      value: 'package/config',
      origin:
        'class path resource [config/one.yml] - 1:11, imported from class path resource [config/application.yml] - 1:21',
    });
    expect(effective(reading, 'test.two')?.origin).toMatch(/^class path resource \[two\.yml\] - 1:11/);
  });

  it('a path in the package may contain a wildcard', () => {
    const at = place({
      'package/application.yml': 'app.config.import: "*/one.yml"\n',
      'package/parts/one.yml': 'test.one: x\n',
    });

    expect(valueOf(at.read(), 'test.one')).toBe('x');
  });

  it('an absolute path leads out of the package', () => {
    const at = place({ 'elsewhere/one.yml': 'test.one: x\n' });
    const path = join(at.folder, 'elsewhere/one.yml');
    const importing = place({ 'package/application.yml': `app.config.import: ${path}\n` });

    expect(effective(importing.read(), 'test.one')?.origin).toMatch(`file [${path}] - 1:11`);
  });

  it('a path is relative to an importing file outside of the working folder', () => {
    const at = place({
      'work/application.yml': 'app.config.import: ../elsewhere/one.yml\n',
      'elsewhere/one.yml': 'app.config.import: two.yml\n',
      'elsewhere/two.yml': 'test.two: x\n',
    });

    expect(valueOf(at.read(), 'test.two')).toBe('x');
  });

  it('a path may contain placeholders for values of any file', () => {
    const at = place({
      'package/application.yml': 'app.config.import: optional:file:./${region:none}.yml\ntest.key: package\n',
      'work/application.yml': 'region: eu\n',
      'work/eu.yml': 'test.key: eu\n',
      'work/none.yml': 'test.key: none\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('C6: a value of a lower file overrides the default of a placeholder in a path', () => {
    const at = place({
      'package/application.yml': 'region: eu\n',
      'work/application.yml': 'app.config.import: ${region:none}.yml\n',
      'work/eu.yml': 'test.key: eu\n',
      'work/none.yml': 'test.key: none\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('a path may contain a placeholder for a value of a lower file', () => {
    const at = place({
      'package/application.yml': 'region: eu\n',
      'work/application.yml': 'app.config.import: ${region}.yml\n',
      'work/eu.yml': 'test.key: eu\n',
    });

    expect(valueOf(at.read(), 'test.key')).toBe('eu');
  });

  it('a placeholder without a value in a path prevents startup', () => {
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

  it('the profile variant of an import overrides all imports of the document', () => {
    const at = place({ ...files, 'work/one-prod.yml': 'test.key: one prod\n' });

    expect(effective(at.read({ variables }), 'test.key')).toEqual({
      value: 'one prod',
      origin: 'file [one-prod.yml] - 1:11, imported from file [application.yml] - 1:21',
    });
  });

  it('C1: the profile variant of an import overrides the profile file of the document', () => {
    const at = place({
      ...files,
      'work/one-prod.yml': 'test.key: one prod\n',
      'work/application-prod.yml': 'test.key: application prod\n',
    });

    expect(valueOf(at.read({ variables }), 'test.key')).toBe('one prod');
  });

  it('C1: a broken default file of the package is reported once when another file imports it', () => {
    const at = place({
      'work/application.yml': 'app.config.import: classpath:/application.yml\n',
      'package/application.yml': 'a: [\n',
    });

    expect(problemsOf(at.read())).toHaveLength(1);
  });

  it('profile variants of imports are optional', () => {
    const at = place({ ...files, 'work/application-prod.yml': '' });

    expect(problemsOf(at.read({ variables }))).toEqual([]);
  });

  it('the variant of a file without extension has the profile at its end', () => {
    const at = place({
      'work/application.yml': 'app.config.import: conf[.yaml]\n',
      'work/conf': 'test.key: conf\n',
      'work/conf-prod': 'test.key: conf prod\n',
    });

    expect(valueOf(at.read({ variables }), 'test.key')).toBe('conf prod');
  });

  it('a profile file that is imported by name declares its profile', () => {
    const at = place({
      'work/application.yml': 'app.config.import: application-prod.yml\n',
      'work/application-prod.yml': 'test.key: x\n',
    });

    expect(problemsOf(at.read({ variables }))).toEqual([]);
  });

  it('profile files may import with placeholders for their own values', () => {
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

describe('documents in variables', () => {
  it('a document in a variable is .properties unless a type is given', () => {
    const args = ['--app.config.import=env:ONE,env:TWO[.yaml]'];
    const variables = { ONE: 'test.one=1\ntest.two=1', TWO: 'test:\n  two: 2' };

    const reading = place().read({ args, variables });

    expect(effective(reading, 'test.one')).toEqual({
      value: '1',
      origin:
        'System Environment Property "ONE" - 1:10, imported from "app.config.import" from property source "commandLineArgs"',
    });
    expect(effective(reading, 'test.two')?.origin).toMatch(/^System Environment Property "TWO" - 2:8/);
  });

  it('a variable may contain several documents, whose imports are relative to the working folder', () => {
    const at = place({ 'work/one.yml': 'test.one: x\n' });
    const variables = { DOC: 'app.config.import=one.yml\n#---\ntest.two=2' };

    const reading = at.read({ args: ['--app.config.import=env:DOC'], variables });

    expect(valueOf(reading, 'test.one')).toBe('x');
    expect(valueOf(reading, 'test.two')).toBe('2');
  });

  it('a broken document in a variable is reported with its position', () => {
    const reading = place().read({ args: ['--app.config.import=env:DOC[.yml]'], variables: { DOC: 'a: b\nc: [' } });

    expect(problemsOf(reading)[0]?.facts['Origin']).toMatch(/^System Environment Property "DOC" - 2:5/);
  });
});
