import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { Missing, ProfileGap } from './response/mapped-user.js';

const MILLIS_BETWEEN_LINES = 3_600_000;

const MESSAGES: Readonly<Record<(Missing | ProfileGap)['reason'], string>> = {
  roles_missing: 'An assertion lacks the attribute of roles.attribute: its user has only the roles of roles.default',
  groups_overage:
    'The identity provider sent a link in place of the groups, since its user is in too many: the user has only the ' +
    'roles of roles.default',
  email_missing: 'An assertion lacks the attribute of email.attribute: the account keeps its mail address',
  class_missing:
    'An assertion lacks the attribute of authn-context.attribute: only its class states how the user signed in',
  name_missing: 'An assertion lacks the attribute of name.attribute: the account keeps its display name',
  groups_missing: 'An assertion lacks the attribute of groups.attribute: the account has no groups now',
  groups_unusable:
    'An assertion has groups that are left out: names with commas or more than 64 characters, or all if they have more than ' +
    '1024 characters together',
};

/** Warns of attributes that assertions lack, and of values that are left out: each once per identity provider and hour, since every login may lack them. */
@Injectable()
export class MappingWarnings {
  private readonly log: Logger;
  /** By identity provider and word, which are few. */
  private readonly loggedAt = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('saml');
  }

  warn(idp: string, missing: readonly (Missing | ProfileGap)[]): void {
    for (const { reason, attribute } of missing) {
      const key = `${idp} ${reason}`;
      const now = this.clock.millis();
      const last = this.loggedAt.get(key) ?? -Infinity;
      // A clock that was set back must not suppress warnings.
      if (Math.abs(now - last) < MILLIS_BETWEEN_LINES) continue;
      this.loggedAt.set(key, now);
      this.log.warn(MESSAGES[reason], { attribute, idp });
    }
  }
}
