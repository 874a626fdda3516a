import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { timeOrderedId } from '../encoding/time-ordered-id.js';
import type { FieldError } from '../errors/service-error.js';
import { Random } from '../random/random.js';
import type { NewAccount } from './account.store.js';
import { isEmail } from './email.js';
import { isLocalLoginId, looksLikeFormula } from './login-id.js';
import { LoginIds } from './login-ids.service.js';
import { Passwords } from './password/passwords.service.js';
import { areRoles } from './role-names.js';

/** A user as somebody describes one; without a password of any kind the account cannot sign in yet. */
export interface AccountDraft {
  readonly loginId: string;
  readonly password?: string | undefined;
  /** Made elsewhere, in place of a password. */
  readonly passwordHash?: string | undefined;
  readonly email?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly mfaRequired?: boolean | undefined;
}

/** Turns drafts into accounts that can be stored; takes time where a password has to be hashed. */
@Injectable()
export class AccountDrafts {
  constructor(
    private readonly loginIds: LoginIds,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** What is wrong with a draft, by field; never what stands in it. */
  async faults(draft: AccountDraft): Promise<readonly FieldError[]> {
    const { password, passwordHash, email, roles } = draft;
    const loginId = this.loginIds.formOf(draft.loginId);
    const faults: FieldError[] = [];
    if (loginId === undefined || !isLocalLoginId(loginId)) faults.push({ field: 'id', code: 'malformed' });
    if (password !== undefined) {
      const code = await this.passwords.fault(password, loginId ?? '');
      if (code) faults.push({ field: 'pw', code });
    }
    if (passwordHash !== undefined && !this.passwords.canVerify(passwordHash)) {
      faults.push({ field: 'password_hash', code: 'unsupported' });
    }
    if (passwordHash !== undefined && password !== undefined)
      faults.push({ field: 'password_hash', code: 'ambiguous' });
    if (email !== undefined && !isEmail(email)) faults.push({ field: 'email', code: 'malformed' });
    if (roles && !areRoles(roles)) faults.push({ field: 'roles', code: 'malformed' });
    return faults;
  }

  /** Faults of a draft that comes from a file: what another system made may be weaker than what is made here. */
  async importFaults(draft: AccountDraft): Promise<readonly FieldError[]> {
    const { loginId, passwordHash } = draft;
    const faults = [...(await this.faults(draft))];
    if (looksLikeFormula(this.loginIds.formOf(loginId) ?? '')) faults.unshift({ field: 'id', code: 'formula' });
    if (passwordHash !== undefined && this.passwords.isTooWeak(passwordHash)) {
      faults.push({ field: 'password_hash', code: 'too_weak' });
    }
    return faults;
  }

  /** The account of a draft without faults. @throws ServiceError `UNAVAILABLE` when too many passwords wait */
  async account({ password, passwordHash, ...draft }: AccountDraft): Promise<NewAccount> {
    return {
      id: timeOrderedId(this.clock.millis(), this.random.bytes(10)),
      loginId: this.loginIds.normalise(draft.loginId),
      kind: 'local',
      passwordHash: password === undefined ? passwordHash : await this.passwords.hash(password),
      email: draft.email,
      roles: draft.roles ?? [],
      mfaRequired: draft.mfaRequired ?? false,
      createdAt: this.clock.seconds(),
    };
  }
}
