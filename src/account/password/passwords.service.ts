import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../errors/service-error.js';
import { commonPasswords } from './password-rules.js';
import { PasswordHasher } from './password-hasher.js';
import { parsePasswordHash } from './password-hash.js';
import { type PasswordFault, passwordFault } from './password-rules.js';
import { meetsFloor } from './hash-strength.js';
import { PasswordImportProperties, PasswordProperties } from '../account.properties.js';

/** A password that may be stored: what is written is its hash. */
export interface ReadyPassword {
  readonly hash: string;
}

/** Judges and hashes new passwords, which takes time: before a transaction, never in it. */
@Injectable()
export class Passwords {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly properties: PasswordProperties,
    private readonly imports: PasswordImportProperties,
  ) {}

  /**
   * Checks a new password by the rules and hashes it. `field` is its name in the request.
   * @throws ServiceError `VALIDATION_FAILED`; `UNAVAILABLE` when too many passwords wait to be hashed
   */
  async ready(password: string, loginId: string, field: string): Promise<ReadyPassword> {
    const code = await this.fault(password, loginId);
    if (code) throw new ServiceError('VALIDATION_FAILED', { errors: [{ field, code }] });
    return { hash: await this.hash(password) };
  }

  /** Undefined: the password may be used. */
  async fault(password: string, loginId: string): Promise<PasswordFault | undefined> {
    const common = await commonPasswords();
    const { minLength } = this.properties;
    return passwordFault(password, { loginId, minLength, isCommon: (lowerCase) => common.has(lowerCase) });
  }

  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** True if a hash that can be verified costs a guesser less than imported ones must. */
  isTooWeak(hash: string): boolean {
    const parsed = parsePasswordHash(hash);
    return parsed !== undefined && !meetsFloor(parsed, this.imports.minHash);
  }

  /** Whether a hash that was made elsewhere can be verified here. */
  canVerify(hash: string): boolean {
    return parsePasswordHash(hash) !== undefined;
  }
}
