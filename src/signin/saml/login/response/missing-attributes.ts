import type { AssertionFacts } from './assertion.js';

/** Words in the reason of the event `SAML_OK`; existing words never change, since stored events contain them. */
export type MissingAttribute = 'roles_missing' | 'groups_overage' | 'email_missing' | 'class_missing';

/** The keys of an identity provider that name attributes of its assertions. */
interface AttributeKeys {
  readonly rolesAttribute?: string;
  readonly emailAttribute?: string;
  readonly authnContextAttribute?: string;
}

/** An attribute that a key names and that an assertion lacks. */
export interface Missing {
  readonly word: MissingAttribute;
  readonly attribute: string;
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
    { word: roles, attribute: rolesAttribute },
    { word: 'email_missing', attribute: emailAttribute },
    { word: 'class_missing', attribute: authnContextAttribute },
  ] as const;
  return needed.flatMap(({ word, attribute }) =>
    attribute === undefined || attributes.has(attribute) ? [] : [{ word, attribute }],
  );
}
