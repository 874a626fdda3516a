import { displayNameOf, usableGroups } from '../../../../identity/account/profile.js';
import { areRoles } from '../../../../identity/account/account.js';
import { withoutUndefined } from '../../../../kernel/collections/without-undefined.js';
import { isPersonName } from '../../../../identity/account/staff/staff-identity.js';
import type { AssertionFacts, NameId } from './assertion.js';
import type { SamlRejection } from '../rejection.js';

/** SAML core 8.3.7: a permanent identifier of one user towards this service. */
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** How the keys of an identity provider map assertions to users. */
interface MappingRules {
  readonly accountAttribute?: string;
  readonly emailAttribute?: string;
  readonly emailVerified: boolean;
  readonly nameAttribute?: string;
  readonly groupsAttribute?: string;
  readonly rolesAttribute?: string;
  readonly rolesMap: ReadonlyMap<string, string>;
  readonly rolesDefault: readonly string[];
}

/** The user of an assertion. */
export interface MappedUser {
  /** The permanent identifier. */
  readonly person: string;
  /** NameQualifier, if it names another entity than the issuer. */
  readonly qualifier?: string;
  readonly roles: readonly string[];
  readonly email?: string;
  /** True if the identity provider vouches for the address. */
  readonly emailVerified: boolean;
  readonly displayName?: string;
  /** Unset if the identity provider is not asked for groups. */
  readonly groups?: readonly string[];
}

/**
 * Maps an assertion to a user: by the configured attribute, or by a persistent NameID. Other formats are rejected, because a
 * transient one is new each time and a mail address may be reassigned (X15). Roles come only from the role map.
 */
export function mapUser(facts: AssertionFacts, rules: MappingRules): MappedUser | SamlRejection {
  const { accountAttribute } = rules;
  const isByNameId = accountAttribute === undefined;
  const name = isByNameId ? persistentName(facts.nameId, facts.issuer) : singleValue(facts, accountAttribute);
  if (name === undefined) return isByNameId ? 'name_id' : 'account_attribute';
  const [email] = valuesOf(facts, rules.emailAttribute);
  const [writtenName] = valuesOf(facts, rules.nameAttribute);
  const displayName = writtenName === undefined ? undefined : displayNameOf(writtenName);
  const groups = rules.groupsAttribute === undefined ? undefined : usableGroups(valuesOf(facts, rules.groupsAttribute));
  const roles = mapRoles(facts, rules);
  if (!areRoles(roles)) return 'roles';
  return { ...name, roles, emailVerified: rules.emailVerified, ...withoutUndefined({ email, displayName, groups }) };
}

function valuesOf(
  { attributes }: Pick<AssertionFacts, 'attributes'>,
  attribute: string | undefined,
): readonly string[] {
  return attribute === undefined ? [] : (attributes.get(attribute) ?? []);
}

type Name = Pick<MappedUser, 'person' | 'qualifier'>;

/** An identifier that another entity assigned is prefixed with its qualifier, because it need not be unique here. */
function persistentName(nameId: NameId | undefined, issuer: string): Name | undefined {
  if (nameId?.format !== PERSISTENT) return undefined;
  const { value, nameQualifier: qualifier = issuer } = nameId;
  if (qualifier === issuer) return { person: value };
  const person = storable(`${qualifier}!${value}`);
  return person === undefined ? undefined : { person, qualifier };
}

/** Several values identify no user. */
function singleValue({ attributes }: AssertionFacts, name: string): Name | undefined {
  const values = [...new Set(attributes.get(name))];
  const person = values.length === 1 ? storable(values[0] ?? '') : undefined;
  return person === undefined ? undefined : { person };
}

function storable(name: string): string | undefined {
  return isPersonName(name) ? name : undefined;
}

function mapRoles(facts: AssertionFacts, { rolesAttribute, rolesMap, rolesDefault }: MappingRules): string[] {
  const mapped = valuesOf(facts, rolesAttribute).flatMap((group) => rolesMap.get(group) ?? []);
  return [...new Set([...rolesDefault, ...mapped])].sort();
}

/** Words in the reason of the event `SAML_OK`; existing words never change, since stored events contain them. */
type MissingAttribute = 'roles_missing' | 'groups_overage' | 'email_missing' | 'class_missing';

/** The keys of an identity provider that name attributes of its assertions. */
interface AttributeKeys {
  readonly rolesAttribute?: string;
  readonly emailAttribute?: string;
  readonly authnContextAttribute?: string;
}

/** An attribute that a key names and that an assertion lacks. */
export interface Missing {
  readonly reason: MissingAttribute;
  readonly attribute: string;
}

/** A gap in what an assertion states for other applications. It is logged, and no event names it. */
export interface ProfileGap {
  readonly reason: 'name_missing' | 'groups_missing' | 'groups_unusable';
  readonly attribute: string;
}

/** The gaps in display name and groups. */
export function profileGaps(
  facts: Pick<AssertionFacts, 'attributes'>,
  { nameAttribute, groupsAttribute }: Pick<MappingRules, 'nameAttribute' | 'groupsAttribute'>,
): readonly ProfileGap[] {
  const isMissing = (attribute: string | undefined): attribute is string =>
    attribute !== undefined && !facts.attributes.has(attribute);
  const written = valuesOf(facts, groupsAttribute).map((group) => group.trim());
  const groups = new Set(written.filter((group) => group !== ''));
  const isUnusable = groupsAttribute !== undefined && usableGroups([...groups]).length < groups.size;
  return [
    ...(isMissing(nameAttribute) ? [{ reason: 'name_missing', attribute: nameAttribute } as const] : []),
    ...(isMissing(groupsAttribute) ? [{ reason: 'groups_missing', attribute: groupsAttribute } as const] : []),
    ...(isUnusable ? [{ reason: 'groups_unusable', attribute: groupsAttribute } as const] : []),
  ];
}

/** Entra ID sends this attribute in place of the groups of a user in more than 150 groups. */
const GROUPS_LINK = 'http://schemas.microsoft.com/claims/groups.link';

/**
 * The attributes that the mapping of an identity provider needs and that an assertion lacks altogether. An attribute without
 * values is not missing: the identity provider states that there are none.
 */
export function missingAttributes(
  { attributes }: Pick<AssertionFacts, 'attributes'>,
  { rolesAttribute, emailAttribute, authnContextAttribute }: AttributeKeys,
): readonly Missing[] {
  const roles = attributes.has(GROUPS_LINK) ? 'groups_overage' : 'roles_missing';
  const needed = [
    { reason: roles, attribute: rolesAttribute },
    { reason: 'email_missing', attribute: emailAttribute },
    { reason: 'class_missing', attribute: authnContextAttribute },
  ] as const;
  return needed.flatMap(({ reason, attribute }) =>
    attribute === undefined || attributes.has(attribute) ? [] : [{ reason, attribute }],
  );
}
