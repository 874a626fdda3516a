/** Who calls a management endpoint. */
export interface Operator {
  /** For the log: the subject of a token, or the name of the Basic account. */
  readonly name: string;
  /** Roles with their prefix, e.g. `ROLE_MANAGEMENT`. */
  readonly roles: readonly string[];
}
