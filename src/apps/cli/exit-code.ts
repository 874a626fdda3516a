/** Exit codes of every command (docs/reference/cli.md). */
export const EXIT = {
  done: 0,
  /** The command was understood and could not be carried out. */
  failed: 1,
  /** The command line is wrong: an unknown command or option, a missing or malformed argument. */
  usage: 2,
  /** The configuration cannot be used, or breaks a rule. */
  configuration: 3,
  /** The user, key or identity provider does not exist. */
  notFound: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  failed
  2  usage error
  3  configuration error
  4  no such user, key or identity provider`;
