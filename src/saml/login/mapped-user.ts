import { areRoles } from '../../account/role-names.js';
import { isPersonName } from '../../account/staff/staff-identity.js';
import type { AssertionFacts, NameId } from './assertion.js';
import type { Rejection } from './rejection.js';

/** SAML core 8.3.7: one name for one person towards us, for good. */
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** What the keys of an identity provider say about people. */
interface MappingRules {
  readonly accountAttribute?: string;
  readonly emailAttribute?: string;
  readonly rolesAttribute?: string;
  readonly rolesMap: ReadonlyMap<string, string>;
  readonly rolesDefault: readonly string[];
}

/** Whom an identity provider vouches for. */
export interface MappedUser {
  /** What it calls them for good. */
  readonly person: string;
  /** Who gave that name, where it was somebody else, as in NameQualifier. */
  readonly qualifier?: string;
  readonly roles: readonly string[];
  readonly email?: string;
}

/**
 * The person of an assertion: named by the configured attribute, or by a persistent NameID and no other, since a transient
 * one is new each time and an address goes to somebody else one day (X15). Roles come through the map alone.
 */
export function mapUser(facts: AssertionFacts, rules: MappingRules): MappedUser | Rejection {
  const name =
    rules.accountAttribute === undefined
      ? persistentName(facts.nameId, facts.issuer)
      : singleValue(facts, rules.accountAttribute);
  if (name === undefined) return 'name_id';
  const email = rules.emailAttribute === undefined ? undefined : facts.attributes.get(rules.emailAttribute)?.[0];
  const roles = mapRoles(facts, rules);
  if (!areRoles(roles)) return 'roles';
  return { ...name, roles, ...(email !== undefined && { email }) };
}

type Name = Pick<MappedUser, 'person' | 'qualifier'>;

/** A name that another provider gave, handed on, is written with that one's before it: alone it may be taken twice. */
function persistentName(nameId: NameId | undefined, issuer: string): Name | undefined {
  if (nameId?.format !== PERSISTENT) return undefined;
  const { value, nameQualifier: qualifier = issuer } = nameId;
  if (qualifier === issuer) return { person: value };
  const person = storable(`${qualifier}!${value}`);
  return person === undefined ? undefined : { person, qualifier };
}

/** Of several values none is the name. */
function singleValue({ attributes }: AssertionFacts, name: string): Name | undefined {
  const values = [...new Set(attributes.get(name))];
  const person = values.length === 1 ? storable(values[0] ?? '') : undefined;
  return person === undefined ? undefined : { person };
}

function storable(name: string): string | undefined {
  return isPersonName(name) ? name : undefined;
}

function mapRoles({ attributes }: AssertionFacts, { rolesAttribute, rolesMap, rolesDefault }: MappingRules): string[] {
  const groups = rolesAttribute === undefined ? [] : (attributes.get(rolesAttribute) ?? []);
  const mapped = groups.flatMap((group) => rolesMap.get(group) ?? []);
  return [...new Set([...rolesDefault, ...mapped])].sort();
}
