/** Breached passwords with their numbers of occurrences. */
export interface BreachSource {
  /** True if a look-up calls no other service, so that an import may look up each of its rows. */
  readonly isLocal: boolean;
  /**
   * How often the password with this SHA-1 (40 upper-case hexadecimal digits) occurs in breaches; 0 if in none.
   * @throws BreachSourceFailure
   */
  occurrences(sha1: string): Promise<number>;
}

/** Breached passwords that cannot be read now. The reason is for operators and contains neither a hash nor a part of one. */
export class BreachSourceFailure extends Error {
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.name = 'BreachSourceFailure';
  }
}
