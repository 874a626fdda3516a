import { Injectable } from '@nestjs/common';
import { areRoles, PROTECTED_ROLES } from '../../identity/account/account.js';
import { RoleProperties } from '../../identity/account/account.properties.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { MfaProperties } from '../../identity/second-factor/mfa.properties.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { ROLE_USER } from '../../kernel/principal/principal.js';

/** Code of the error about a role that must be confirmed; its field is `roles.` and the name. */
const NEW_ROLE = 'new';

/** The roles that the configuration names or an account has: any other one may be misspelled, and would permit nothing. */
@Injectable()
export class KnownRoles {
  private readonly configured: readonly string[];

  constructor(
    private readonly accounts: Accounts,
    { roles, protectedRoles = [] }: RoleProperties,
    { requiredRoles, requiredStrengthRoles }: MfaProperties,
  ) {
    this.configured = [...PROTECTED_ROLES, ...roles, ...protectedRoles, ...requiredRoles, ...requiredStrengthRoles];
  }

  /** In alphabetical order, without ROLE_USER, which every account has. */
  async names(): Promise<readonly string[]> {
    const known = new Set([...this.configured, ...(await this.accounts.roles())]);
    known.delete(ROLE_USER);
    return [...known].sort();
  }

  async unknownOf(roles: readonly string[]): Promise<readonly string[]> {
    const known = new Set([ROLE_USER, ...(await this.names())]);
    return [...new Set(roles)].filter((role) => !known.has(role));
  }

  /**
   * `confirmed` are the names that the caller was asked about. Malformed names have an error of their own.
   * @throws ServiceError `VALIDATION_FAILED`, from which `newRolesIn` reads the names
   */
  async demandKnown(roles: readonly string[], confirmed: readonly string[]): Promise<void> {
    if (!areRoles(roles)) return;
    const unknown = (await this.unknownOf(roles)).filter((role) => !confirmed.includes(role));
    if (unknown.length === 0) return;
    throw new ServiceError('VALIDATION_FAILED', {
      errors: unknown.map((role) => ({ field: `roles.${role}`, code: NEW_ROLE })),
    });
  }
}

/** The roles that an error asks about. */
export function newRolesIn({ facts }: ServiceError): readonly string[] {
  return (facts.errors ?? [])
    .filter(({ field, code }) => code === NEW_ROLE && field.startsWith('roles.'))
    .map(({ field }) => field.slice('roles.'.length));
}
