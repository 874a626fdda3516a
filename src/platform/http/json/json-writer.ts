import type { GenericSchema } from 'valibot';
import { compileDatePattern, PatternProblem } from '../../../kernel/encoding/date-pattern.js';
import { zoneOf } from '../../../kernel/encoding/zone.js';
import { Encoding } from './encoding.js';
import { JsonProperties, JsonSerializationProperties } from './json.properties.js';
import { type RequiredMembers, requiredMembersOf } from './required-members.js';

type WriteDate = (millis: number) => string | number;
/** True for a value that is omitted unless its member is required. */
type IsLeftOut = (value: unknown) => boolean;

/** ISO 8601 with milliseconds and offset. */
const ISO = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

/** Writes the JSON of success responses as `app.json.*` configures; error and management responses do not use it. */
export class JsonWriter {
  readonly contentType: string;
  /**
   * Writes dates by the configured pattern or as timestamps; undefined for the format of JavaScript, ISO 8601 in UTC.
   */
  private readonly writeDate: WriteDate | undefined;
  private readonly isLeftOut: IsLeftOut | undefined;

  constructor(
    json: JsonProperties = new JsonProperties(),
    serialization: JsonSerializationProperties = new JsonSerializationProperties(),
    private readonly encoding: Encoding = new Encoding(),
  ) {
    this.contentType = encoding.jsonType('application/json');
    this.writeDate = dateWriter(json, serialization);
    this.isLeftOut = LEFT_OUT[json.defaultPropertyInclusion];
  }

  /** Writes a body; `schema` determines the members that are always written. */
  write(body: unknown, schema?: GenericSchema): string {
    const isAsIs = this.writeDate === undefined && this.isLeftOut === undefined;
    return this.encoding.json(JSON.stringify(isAsIs ? body : this.prepared(body, schema && requiredMembersOf(schema))));
  }

  /** Prepares a value for `JSON.stringify`; returns the value itself if nothing has to change. */
  private prepared(value: unknown, promised: RequiredMembers | undefined): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Date) return this.preparedDate(value);
    if (Array.isArray(value)) return this.preparedList(value, promised?.items);
    if (writesItself(value)) return this.prepared(value.toJSON(), promised);
    return this.preparedObject(value as Readonly<Record<string, unknown>>, promised);
  }

  private preparedDate(date: Date): unknown {
    const millis = date.getTime();
    // JavaScript writes an invalid date like this.
    if (Number.isNaN(millis)) return null;
    return this.writeDate ? this.writeDate(millis) : date;
  }

  private preparedList(list: readonly unknown[], ofItems: RequiredMembers | undefined): unknown {
    let changed: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const prepared = this.prepared(item, ofItems);
      if (prepared !== item) (changed ??= [...list])[index] = prepared;
    }
    return changed ?? list;
  }

  private preparedObject(object: Readonly<Record<string, unknown>>, promised: RequiredMembers | undefined): unknown {
    let changed: Record<string, unknown> | undefined;
    for (const name of Object.keys(object)) {
      const member = object[name];
      let prepared = this.prepared(member, promised?.members.get(name) ?? promised?.items);
      if (this.isLeftOut?.(prepared) === true && promised?.always.has(name) !== true) prepared = undefined;
      // A spread keeps the order and accepts every name; a member with the value undefined is not written.
      if (prepared !== member) (changed ??= { ...object })[name] = prepared;
    }
    return changed ?? object;
  }
}

function writesItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

const isNull: IsLeftOut = (value) => value === null;
const isEmpty: IsLeftOut = (value) => {
  if (value === null || value === '') return true;
  if (typeof value !== 'object' || value instanceof Date) return false;
  return Array.isArray(value) ? value.length === 0 : Object.values(value).every((member) => member === undefined);
};

const LEFT_OUT: Readonly<Record<JsonProperties['defaultPropertyInclusion'], IsLeftOut | undefined>> = {
  always: undefined,
  use_defaults: undefined,
  non_null: isNull,
  non_absent: isNull,
  non_default: isNull,
  non_empty: isEmpty,
};

function dateWriter(
  json: JsonProperties,
  { writeDatesAsTimestamps }: JsonSerializationProperties,
): WriteDate | undefined {
  const { dateFormat = '', timeZone } = json;
  if (dateFormat === '') {
    if (writeDatesAsTimestamps) return (millis) => millis;
    if (timeZone === 'UTC') return undefined;
  }
  const pattern = compileDatePattern(dateFormat || ISO);
  if (pattern instanceof PatternProblem) throw new TypeError(`${dateFormat}: ${pattern.reason}`);
  const zone = zoneOf(timeZone);
  return (millis) => pattern(millis, zone);
}
