import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readArguments } from './arguments.js';
import { ConfigData } from './config-data.js';
import { ConfigProperties, ProfilesProperties } from '../config.properties.js';
import { KeyRegistry } from '../names/key-registry.js';

const REGISTRY = new KeyRegistry([ConfigProperties, ProfilesProperties]);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-data-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Paths of the files that are sources of the configuration, the highest precedence first. */
function sources(files: Readonly<Record<string, string>>, ...args: string[]): readonly string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { commandLine } = readArguments(args);
  const context = { workingFolder: join(folder, 'w'), packageFolder: join(folder, 'p'), variables: {} };
  const { environment, problems } = new ConfigData([commandLine], REGISTRY, context).load();
  expect(problems).toEqual([]);
  return environment.sources.slice(1).map(({ name }) => /\[(.*?)\]/.exec(name)?.[1] ?? name);
}

it('C1: a tree of imports has the order of Spring Boot 3.5.16', () => {
  const files = {
    'p/application.yml': 'app.config.import: [a.yml, b.yml]',
    'p/a.yml': 'app.config.import: a1.yml',
    'p/a1.yml': 'x: y',
    'p/a1-eu.yml': 'x: y',
    'p/a-eu.yml': 'x: y',
    'p/b.yml': 'x: y',
    'p/b-eu.yml': 'app.config.import: b1.yml',
    'p/b1.yml': 'x: y',
    'p/application-eu.yml': 'x: y',
    'w/application.yml': 'x: y',
  };

  expect(sources(files, '--app.profiles.active=eu')).toEqual([
    'application.yml',
    'b1.yml',
    'b-eu.yml',
    'a-eu.yml',
    'application-eu.yml',
    'a1-eu.yml',
    'b.yml',
    'a1.yml',
    'a.yml',
    'application.yml',
  ]);
});

it('an import keeps its first target even if a profile changes its placeholder', () => {
  const files = {
    'w/application.yml': 'which: a\n---\napp.config.import: ${which}.yml',
    'w/application-eu.yml': 'which: b',
    'w/a.yml': 'x: y',
    'w/a-eu.yml': 'x: y',
    'w/b.yml': 'x: y',
    'w/b-eu.yml': 'x: y',
  };

  expect(sources(files, '--app.profiles.active=eu')).toEqual([
    'a-eu.yml',
    'application-eu.yml',
    'a.yml',
    'application.yml',
    'application.yml',
  ]);
});

it('the imports of an inactive document are not read', () => {
  const files = {
    'w/application.yml': 'app.config.activate.on-profile: us\napp.config.import: gone.yml\n---\nx: y\n',
  };

  expect(sources(files)).toEqual(['application.yml']);
});
