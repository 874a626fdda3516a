import { type ColumnOptions, getMetadataArgsStorage } from 'typeorm';
import type { Column, Index, Schema, Table } from './schema.js';

/** A class with the decorator `@Entity`. */
export type EntityClass<T extends object = object> = new () => T;

/** The tables that this version needs: those of every entity that is loaded, in the order of their names. */
export function expectedSchema(): Schema {
  const tables = entities().map(tableOf);
  return new Map(tables.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map((table) => [table.name, table]));
}

/** Every entity that is loaded. */
export function entities(): readonly EntityClass[] {
  return getMetadataArgsStorage().tables.map(({ target }) => target as EntityClass);
}

/** The table of an entity as its decorators describe it, for which no database has to be open. */
export function tableOf(entity: EntityClass): Table {
  const { tables, columns, indices, uniques } = getMetadataArgsStorage();
  const name = tables.find(({ target }) => target === entity)?.name;
  if (name === undefined) throw new TypeError(`${entity.name} is no entity`);
  const own = columns.filter(({ target }) => target === entity);
  const others = indices.filter(({ target }) => target === entity);
  const unique = uniques.filter(({ target }) => target === entity);
  return {
    name,
    columns: own.map(({ propertyName, options }) => columnOf(propertyName, options)),
    primaryKey: own.filter(({ options }) => options.primary).map(({ propertyName }) => propertyName),
    indexes: [
      ...others.map((index) => indexOf(index.columns, false, index.name)),
      ...unique.map((each) => indexOf(each.columns, true)),
    ],
  };
}

function columnOf(name: string, { type, length, nullable = false, default: byDefault }: ColumnOptions): Column {
  return {
    name,
    type: length === undefined ? String(type) : `${String(type)}(${length})`,
    isNullable: nullable,
    default: byDefault === undefined ? null : String(byDefault),
  };
}

/** Columns are named by a list in every entity; other forms are functions. */
function indexOf(columns: unknown, isUnique: boolean, name = ''): Index {
  return { name, columns: columns as readonly string[], isUnique };
}
