import type { KeyDefinition, KeyRegistry } from '../config/names/key-registry.js';
import { metadataOf } from '../config/bind/properties-class.js';
import type { PackagedValue } from './packaged-values.js';

const INTRODUCTION = `# Configuration keys

Generated from the key registry by \`npm run docs\`; a test fails when this page is stale.

Where values come from, highest first: \`--key=value\`, \`-Dkey=value\`, environment variables, profile files outside the
package, \`config/\` in the working folder, the working folder, packaged profile files, packaged defaults.
\`npm run cli -- config get <key>\` shows which of them won, and every value it overrides.

An environment variable is the key in capitals with \`.\` as \`_\` and without dashes (\`app.datasource.pool.maximum-pool-size\`
is \`APP_DATASOURCE_POOL_MAXIMUMPOOLSIZE\`; \`…_MAXIMUM_POOL_SIZE\` works too), \`[0]\` as \`_0\`.

"Default" is the value where nothing sets the key. "Packaged" is what the files of the package say instead, \`application.yml\`
first, then \`application-<profile>.yml\` where it differs: without a value of yours, the service runs with the packaged one.
Where the column is empty, the default is in force. Secrets come from the environment: \`\${NAME}\` is a placeholder.

Effect: **F** full, **N** near (same purpose, other mechanics), **A** accepted, with the stated effect only, **U** without
effect. A key of level A or U that is set outside the package is named at every start, unless its value states what the
service does anyway.
Secret values are never shown.
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
  return [INTRODUCTION, ...sections].join('\n');
}

const HEAD = '| Key | Type | Default | Packaged | Effect | Since | What it does |\n|---|---|---|---|---|---|---|';

function membersOf(registry: KeyRegistry, definition: KeyDefinition): readonly KeyDefinition[] {
  if (definition.type.shape !== 'objects') return [];
  return registry
    .membersOf(definition)
    .definitions.map((member) => ({ ...member, name: `${definition.name}.${member.name}` }));
}

function row(
  { name, type, defaultText, facts, since, isSecret }: KeyDefinition,
  packaged: readonly PackagedValue[],
): string {
  const unit = type.shape === 'scalar' && type.unit !== undefined ? ` (${type.unit})` : '';
  const { level, note } = facts.effect;
  const notes = [
    facts.does,
    ...expectation(type),
    ...(isSecret ? ['Secret.'] : []),
    ...(note ? [`${level}: ${note}.`.replace('..', '.')] : []),
  ];
  const byDefault = facts.defaultText ?? code(defaultText);
  const cells = [
    `\`${name}\``,
    type.name + unit,
    byDefault,
    packaged.map(packagedCell).join('; '),
    level,
    since,
    notes.join(' '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
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

function code(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' ? '(empty)' : `\`${text}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
