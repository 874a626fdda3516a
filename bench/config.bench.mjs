// Compares loading and binding 500 keys from 10 files with parsing the same files by the YAML library.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ConfigProperties } from '../dist/config/config.properties.js';
import { configurationOf, readConfiguration } from '../dist/config/configuration.js';
import { full } from '../dist/config/bind/effect.js';
import { duration, flag, integer, list, text } from '../dist/config/bind/key-type.js';
import { ProfilesProperties } from '../dist/config/config.properties.js';
import { Key, Properties } from '../dist/config/bind/properties.decorator.js';
import { compare, goal } from './measure.mjs';

const FILES = 10;
const KEYS_PER_FILE = 50;
const KINDS = [
  { type: integer(), line: (name, number) => `${name}: ${number}` },
  { type: duration(), line: (name, number) => `${name}: ${number}s` },
  { type: flag(), line: (name, number) => `${name}: ${number % 2 === 0}` },
  { type: text(), line: (name, number) => `${name}: 'text number ${number}' # said why` },
  { type: list(text()), line: (name, number) => `${name}: [a${number}, b, c]` },
];

const folder = mkdtempSync(join(tmpdir(), 'bench-config-'));
try {
  const classes = [ConfigProperties, ProfilesProperties];
  const paths = [];
  for (let file = 0; file < FILES; file++) {
    const lines = ['app:', '  bench:', `    part${file}:`];
    class Part {}
    for (let number = 0; number < KEYS_PER_FILE; number++) {
      const kind = KINDS[number % KINDS.length];
      Key(kind.type, { does: 'measured', effect: full })(Part.prototype, `keyNumber${number}`);
      lines.push(`      ${kind.line(`key-number${number}`, number)}`);
    }
    Properties(`app.bench.part${file}`)(Part);
    classes.push(Part);
    const name = file === 0 ? 'application.yml' : `part${file}.yml`;
    if (file === 0) {
      const others = Array.from({ length: FILES - 1 }, (_, index) => `part${index + 1}.yml`);
      lines.splice(1, 0, `  config.import: [${others.join(', ')}]`);
    }
    paths.push(join(folder, name));
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  }

  const inputs = { args: [], variables: {}, workingFolder: folder, packageFolder: join(folder, 'none') };
  const timed = (run) => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  const load = () => configurationOf(readConfiguration(classes, inputs));
  const check = load().get(classes.at(-1));
  if (check.keyNumber45 !== 45 || check.keyNumber49.length !== 3) throw new Error('the keys are not bound');

  const ratio = await compare(
    { name: '500 keys from 10 files, loaded and bound', run: () => timed(load) },
    {
      name: 'bare yaml parse of the same files',
      run: () => timed(() => paths.map((path) => parse(readFileSync(path, 'utf8')))),
    },
    { rounds: 100, warmUp: 20 },
  );
  goal('load and bind in at most 3 times the bare parse', ratio <= 3);
} finally {
  rmSync(folder, { recursive: true });
}
