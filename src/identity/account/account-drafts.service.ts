import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../kernel/random/random.js';
import type { FieldError } from '../../kernel/errors/service-error.js';
import { areRoles, isEmail } from './account.js';
import type { NewAccount } from './account-changes.store.js';
import { HashImportProperties } from './account.properties.js';
import { isLocalLoginId, LoginIds, looksLikeFormula } from './login-id.js';
import { meetsFloor } from './password/hash-strength.js';
import { parsePasswordHash } from './password/password-hash.js';
import type { PasswordOrigin } from './password/breached/breached-passwords.service.js';
import { Passwords } from './password/passwords.service.js';
import { displayNameOf, profileProblems } from './profile.js';

/** Values for a new account; without `password` and `passwordHash` the account cannot sign in yet. */
export interface AccountDraft {
  readonly loginId: string;
  readonly password?: string | undefined;
  /** A hash of another system, in place of a password. */
  readonly passwordHash?: string | undefined;
  readonly email?: string | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly displayName?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly mfaRequired?: boolean | undefined;
  /** The user chooses the first password by an invitation. */
  readonly isInvited?: boolean | undefined;
  /** The first login must enrol a second factor, whatever the policy. */
  readonly enrolmentForced?: boolean | undefined;
}

/** Validates drafts and turns them into accounts that can be stored. */
@Injectable()
export class AccountDrafts {
  constructor(
    private readonly loginIds: LoginIds,
    private readonly passwords: Passwords,
    private readonly imports: HashImportProperties,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the errors of a draft by field; they never contain its values. */
  async problems(draft: AccountDraft, origin: PasswordOrigin = 'chosen'): Promise<readonly FieldError[]> {
    const { password, passwordHash, email, emailVerified = false, displayName, groups, roles } = draft;
    const loginId = this.loginIds.formOf(draft.loginId);
    const problems: FieldError[] = [];
    if (loginId === undefined || !isLocalLoginId(loginId)) problems.push({ field: 'id', code: 'malformed' });
    if (password !== undefined) {
      const code = await this.passwords.problem(password, { loginId: loginId ?? '', email, displayName }, origin);
      if (code) problems.push({ field: 'pw', code });
    }
    if (passwordHash !== undefined && parsePasswordHash(passwordHash) === undefined) {
      problems.push({ field: 'password_hash', code: 'unsupported' });
    }
    if (passwordHash !== undefined && password !== undefined)
      problems.push({ field: 'password_hash', code: 'ambiguous' });
    if (email !== undefined && !isEmail(email)) problems.push({ field: 'email', code: 'malformed' });
    if (email === undefined && emailVerified) problems.push({ field: 'email', code: 'required' });
    if (roles && !areRoles(roles)) problems.push({ field: 'roles', code: 'malformed' });
    return [...problems, ...profileProblems({ displayName, groups })];
  }

  /** Returns the errors of a draft from a file: hashes of another system may be weaker than those of this service. */
  async importProblems(draft: AccountDraft): Promise<readonly FieldError[]> {
    const { loginId, passwordHash } = draft;
    const problems = [...(await this.problems(draft, 'imported'))];
    if (looksLikeFormula(this.loginIds.formOf(loginId) ?? '')) problems.unshift({ field: 'id', code: 'formula' });
    const hash = passwordHash === undefined ? undefined : parsePasswordHash(passwordHash);
    if (hash && !meetsFloor(hash, this.imports.minHash)) problems.push({ field: 'password_hash', code: 'too_weak' });
    return problems;
  }

  /** The login id of a draft without errors, as it is stored. */
  loginIdOf({ loginId }: AccountDraft): string {
    return this.loginIds.normalise(loginId);
  }

  /**
   * Returns the account of a draft without errors. Hashing its password takes time: call it outside of transactions.
   * @throws ServiceError `UNAVAILABLE` if too many passwords wait
   */
  async account({ password, passwordHash, ...draft }: AccountDraft): Promise<NewAccount> {
    return {
      id: timeOrderedId(this.clock.millis(), this.random.bytes(10)),
      loginId: this.loginIds.normalise(draft.loginId),
      kind: 'local',
      passwordHash: password === undefined ? passwordHash : await this.passwords.hash(password),
      email: draft.email,
      emailVerified: draft.emailVerified,
      displayName: draft.displayName === undefined ? undefined : displayNameOf(draft.displayName),
      groups: draft.groups,
      roles: draft.roles ?? [],
      mfaRequired: draft.mfaRequired ?? false,
      isInvited: draft.isInvited ?? false,
      enrolmentForced: draft.enrolmentForced ?? false,
      createdAt: this.clock.seconds(),
    };
  }
}
