import type { KeyDefinition, KeyRegistry } from '../../../config/names/key-registry.js';
import { metadataOf } from '../../../config/bind/properties-class.js';
import { variableForms } from '../../../config/names/key-name.js';
import { FIRST_KEYS } from './first-keys.js';
import type { PackagedValue } from './packaged-values.js';

const INTRODUCTION = `# Configuration keys

Generated from the key registry by \`npm run docs\`; a test fails when this page is stale.

## Set a key

Each of these lines sets the same key:

\`\`\`sh
SERVER_PORT=9000 npm start               # a variable, also of a unit file or a container
npm start -- --server.port=9000          # an argument; -Dserver.port=9000 has the rank below
echo 'server: { port: 9000 }' > application.yml && npm start   # a file in the working folder or its folder config/
\`\`\`

If several set it, the first of these wins: \`--key=value\`, \`-Dkey=value\`, variables, profile files outside the package,
\`config/\` in the working folder, the working folder, packaged profile files, packaged defaults.
\`npm run cli -- config get <key>\` shows which of them won, and every value it overrides.
[configuration-sources.md](configuration-sources.md) has all rules.

The variable of a key is its name in capitals, with \`.\` as \`_\` and without dashes; the tables name it. A list takes texts
separated by commas, or one variable for each element, numbered from 0: \`APP_PROFILES_ACTIVE=prod,eu\` equals
\`APP_PROFILES_ACTIVE_0=prod\` with \`APP_PROFILES_ACTIVE_1=eu\`. Replace \`<NAME>\` and the like by a name of yours, in capitals:
\`LOGGING_LEVEL_AUTH=DEBUG\`. A variable cannot express a name that contains capital letters or dashes: use a file.

## The fifteen keys most people touch first
`;

const LEGEND = `## Read the tables

- **Default** is the value where nothing sets the key. **Packaged** is what the files of the package say instead,
  \`application.yml\` first, then \`application-<profile>.yml\` where it differs: without a value of yours, the service runs with
  the packaged one. Where the column is empty, the default is in force. Secrets come from the environment: \`\${NAME}\` is a
  placeholder.
- **Effect** compares with what the name promises to users of Spring Boot: **F** is full, **N** is near (the same purpose by
  other mechanics), **A** is accepted with the stated effect only, and **U** has no effect. The reason follows the same letter
  in the last column. A key of level A or U that is set outside the package is named at every start, unless its value states
  what the service does anyway.
- Values of secrets are never shown.
`;

/** \`docs/configuration.md\`: every key with type, default, effect and since-version, a table per prefix. */
export function configurationReference(
  registry: KeyRegistry,
  packaged: (definition: KeyDefinition) => readonly PackagedValue[],
): string {
  // Several classes may share a prefix.
  const owners = Map.groupBy(registry.classes, (owner) => metadataOf(owner).prefix);
  const sections = Array.from(owners, ([prefix, same]) => {
    const rows = same
      .flatMap((owner) => registry.definitionsOf(owner))
      .flatMap((definition) => [definition, ...membersOf(registry, definition)]);
    return [`## ${prefix}`, '', HEAD, ...rows.map((definition) => row(definition, packaged(definition))), ''].join(
      '\n',
    );
  });
  return [INTRODUCTION, firstKeys(registry), LEGEND, ...sections].join('\n');
}

const HEAD =
  '| Key | Type | Default | Packaged | Variable | Effect | Since | What it does |\n|---|---|---|---|---|---|---|---|';

function firstKeys(registry: KeyRegistry): string {
  const known = new Map(registry.definitions.map((definition) => [definition.name, definition]));
  const rows = Array.from(FIRST_KEYS, ([name, sentence]) => {
    const definition = known.get(name);
    if (!definition) throw new TypeError(`${name} is no key`);
    return tableRow([`\`${name}\``, variableOf(definition), sentence]);
  });
  return ['| Key | Variable | In one sentence |', '|---|---|---|', ...rows, ''].join('\n');
}

/** These keys are conditions of the document that contains them. */
const IN_FILES_ONLY = 'app.config.activate.';

function variableOf({ name, type }: KeyDefinition): string {
  if (type.shape === 'objects') return 'those of its members';
  return name.startsWith(IN_FILES_ONLY) ? 'none: only in files' : `\`${variableForms(name)[0] ?? ''}\``;
}

function membersOf(registry: KeyRegistry, definition: KeyDefinition): readonly KeyDefinition[] {
  if (definition.type.shape !== 'objects') return [];
  return registry
    .membersOf(definition)
    .definitions.map((member) => ({ ...member, name: `${definition.name}.${member.name}` }));
}

function row(definition: KeyDefinition, packaged: readonly PackagedValue[]): string {
  const { name, type, defaultText, facts, since, isSecret } = definition;
  const unit = type.shape === 'scalar' && type.unit !== undefined ? ` (${type.unit})` : '';
  const { level, note } = facts.effect;
  const notes = [
    facts.does,
    ...expectation(type),
    ...(isSecret ? ['Secret.'] : []),
    ...(note ? [`**${level}:** ${sentence(note)}`] : []),
  ];
  const byDefault = facts.defaultText ?? (defaultText === undefined ? 'none' : code(defaultText));
  const cells = [
    `\`${name}\``,
    type.name + unit,
    byDefault,
    packaged.map(packagedCell).join('; '),
    variableOf(definition),
    level,
    since,
    notes.join(' '),
  ];
  return tableRow(cells);
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function sentence(text: string): string {
  return `${capital(text)}${text.endsWith('.') ? '' : '.'}`;
}

function packagedCell({ profile, entry, text }: PackagedValue): string {
  const value = entry === undefined ? code(text) : `\`${entry}\` ${code(text)}`;
  return profile === undefined ? value : `${profile}: ${value}`;
}

/** Describes valid values, if the name of the type is not enough. */
function expectation(type: KeyDefinition['type']): readonly string[] {
  const scalar = type.shape === 'scalar' ? type : type.shape === 'objects' ? undefined : type.element;
  if (scalar?.shape !== 'scalar' || ['boolean', 'time zone'].includes(scalar.name) || scalar.expects === 'a text')
    return [];
  return [`${capital(scalar.expects)}.`];
}

function code(text: string): string {
  return text === '' ? '(empty)' : `\`${text}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
