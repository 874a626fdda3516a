/** The keys that most installations set, in the order in which a new one needs them, each with one sentence. */
export const FIRST_KEYS: ReadonlyMap<string, string> = new Map([
  [
    'app.profiles.active',
    'Set it to `prod` on every server that users reach: startup then refuses what is unsafe there.',
  ],
  ['server.port', 'Port on which users and proxies reach the service.'],
  [
    'server.forward-headers-strategy',
    'Leave it at `native` behind a proxy in a private network, and set `none` without a proxy: limits and locks count by address.',
  ],
  ['app.security.public-url', 'Address that users type, with https; links, tokens and cookies follow from it.'],
  ['app.datasource.url', 'Database; without it the service uses a file, which is enough for a single server.'],
  ['app.datasource.username', 'Account of the database.'],
  ['app.datasource.password', 'Password of that account.'],
  [
    'app.security.seal.keys.<id>',
    'Key that seals the secrets of authenticator apps; if it is lost, every user must enrol again.',
  ],
  [
    'app.security.mfa.backup-code.pepper',
    'Secret in the hashes of backup codes; if it is lost, no backup code works any more.',
  ],
  ['app.security.mfa.policy', 'Decides which accounts must have a second factor.'],
  ['app.mail.host', 'Relay for mails; without it there are no notices and no links for forgotten passwords.'],
  ['app.mail.from', 'Sender that users see in their mails.'],
  ['management.server.port', 'Port of its own for probes, metrics and operators, which the internet must not reach.'],
  ['management.security.password', 'Password of the operator account `management.security.user`.'],
  ['logging.level.<logger>', 'How much a part of the service writes to the log; `root` applies to the rest.'],
]);
