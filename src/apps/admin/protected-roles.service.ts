import { Injectable } from '@nestjs/common';
import { PROTECTED_ROLES } from '../../identity/account/account.js';
import { RoleProperties } from '../../identity/account/account.properties.js';
import { ROLE_USER } from '../../kernel/principal/principal.js';
import { MfaProperties } from '../../identity/second-factor/mfa.properties.js';

/** Roles whose accounts the help desk may not act on; an import records each account with one of them. */
@Injectable()
export class ProtectedRoles {
  readonly names: readonly string[];

  constructor({ protectedRoles }: RoleProperties, { requiredRoles }: MfaProperties) {
    // Every account has ROLE_USER. If that role were protected, the help desk could act on no account.
    const configured = protectedRoles ?? requiredRoles.filter((role) => role !== ROLE_USER);
    this.names = [...new Set([...PROTECTED_ROLES, ...configured])];
  }

  hasAny(roles: readonly string[]): boolean {
    return roles.some((role) => this.names.includes(role));
  }
}
