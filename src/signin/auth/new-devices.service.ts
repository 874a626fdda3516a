import { Injectable } from '@nestjs/common';
import { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import { SecurityEvents } from '../../identity/events/security-events.service.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { requestContext } from '../../kernel/principal/request-context.js';
import type { CookieValues } from '../../platform/web/cookies.js';
import { DEVICE, SESSION, SIGN_IN_FORM } from './cookies.js';
import { KnownClients } from '../../identity/session/known-clients.service.js';

/** The events of logins: a complete one has one more of the other kinds than `MFA_CHALLENGED`. */
const LOGIN_KINDS = ['LOGIN_PASSWORD_OK', 'LOGIN_PASSKEY_OK', 'MFA_CHALLENGED', 'MFA_OK'] as const;
/** An account with so many login events has signed in before, or was attacked. */
const MAX_EVENTS = 50;

/**
 * Records logins of browsers and other clients that an account has not used before. A client that keeps no cookie is reported
 * once in a while, not at every login.
 */
@Injectable()
export class NewDevices {
  constructor(
    private readonly devices: DeviceCookies,
    private readonly events: SecurityEvents,
    private readonly clients: KnownClients,
  ) {}

  /**
   * Records a complete login of a browser without a device cookie of the account, unless it is the first login of the account.
   * A browser that has shown another cookie of the service is new whatever its user agent is. Called in the transaction of the
   * login, before the event of its completion is stored.
   */
  async record(tx: Tx, subject: string, cookies: CookieValues): Promise<void> {
    const known = this.devices.verify(cookies[DEVICE] ?? '');
    if (known?.subject === subject) return;
    // The device cookie of another account means a browser that several users share.
    const keepsCookies = known === undefined && (cookies[SESSION] ?? cookies[SIGN_IN_FORM]) !== undefined;
    const client = requestContext() ?? { ip: '' };
    // Both at once, together with the statements of the login: a second trip to a server would cost more than a read in vain.
    const [isRemembered, kinds] = await Promise.all([
      !keepsCookies && this.clients.isRemembered(tx, subject, client),
      this.events.oldestKinds(tx, subject, LOGIN_KINDS, MAX_EVENTS),
    ]);
    if (isRemembered) return;
    if (kinds.length < MAX_EVENTS && completeLogins(kinds) <= 0) return;
    const isNew = await this.clients.remember(tx, subject, client);
    if (isNew || keepsCookies) await this.events.record(tx, { kind: 'NEW_DEVICE', subject });
  }
}

function completeLogins(kinds: readonly string[]): number {
  return kinds.reduce((logins, kind) => logins + (kind === 'MFA_CHALLENGED' ? -1 : 1), 0);
}
