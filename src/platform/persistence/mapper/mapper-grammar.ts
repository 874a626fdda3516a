import { DATABASE_IDS } from './database-id.js';

/** Permitted content of an element of a mapper file: attributes, each with the form of its value, and child elements. */
export interface ElementRule {
  readonly required?: Readonly<Record<string, RegExp>>;
  readonly optional?: Readonly<Record<string, RegExp>>;
  /** A function, since tags contain each other. */
  readonly children?: () => ElementRules;
}

/** Rules by the name of the element; `#text` permits text. */
export type ElementRules = Readonly<Record<string, ElementRule>>;

const TEXT = /\S/;
const ID = /^[A-Za-z_][\w-]*$/;
const NAMESPACE = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;
const NAME = /^(?!(?:__proto__|prototype|constructor)$)[A-Za-z_]\w*$/;
/** Without the signs that would add a value or a text. */
const LITERAL = /^[^?#$]*$/;
const ENGINE = new RegExp(`^(?:${DATABASE_IDS.join('|')})$`);

const SQL: ElementRules = {
  '#text': {},
  if: { required: { test: TEXT }, children: () => SQL },
  choose: { children: () => CHOICES },
  where: { children: () => SQL },
  foreach: {
    required: { collection: TEXT },
    optional: { item: NAME, index: NAME, open: LITERAL, close: LITERAL, separator: LITERAL },
    children: () => SQL,
  },
  include: { required: { refid: TEXT } },
};

const CHOICES: ElementRules = {
  when: { required: { test: TEXT }, children: () => SQL },
  otherwise: { children: () => SQL },
};

const STATEMENT = { optional: { timeout: /^\d{1,6}$/, databaseId: ENGINE }, children: () => SQL };
const CHANGE: ElementRule = { required: { id: ID }, ...STATEMENT };

/** A mapper file. */
export const MAPPER_FILE: ElementRules = {
  mapper: {
    required: { namespace: NAMESPACE },
    children: () => ({
      select: { required: { id: ID, resultType: TEXT }, ...STATEMENT },
      ...{ insert: CHANGE, update: CHANGE, delete: CHANGE },
      sql: { required: { id: ID }, optional: { databaseId: ENGINE }, children: () => SQL },
    }),
  },
};

/** The file of `mapper.config-location`. */
export const CONFIGURATION_FILE: ElementRules = {
  configuration: {
    children: () => ({
      settings: { children: () => ({ setting: { required: { name: TEXT, value: TEXT } } }) },
      typeAliases: {
        children: () => ({
          typeAlias: { required: { alias: TEXT, type: TEXT } },
          package: { required: { name: TEXT } },
        }),
      },
      mappers: { children: () => ({ mapper: { optional: { resource: TEXT, url: TEXT } } }) },
    }),
  },
};
