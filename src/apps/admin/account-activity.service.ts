import { Injectable } from '@nestjs/common';
import type { EventRow } from '../../identity/events/event-line.js';
import { type EventFilter, EventSearch } from '../../identity/events/event-search.service.js';
import { TrustedDeviceList } from '../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import type { TrustedDevice } from '../../identity/second-factor/trusted-device/trusted-device.js';
import { type Session, Sessions } from '../../identity/session/sessions.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Slice } from '../../platform/persistence/slice.js';
import { AccountDirectory } from './account-directory.service.js';
import type { Actor } from './act.js';

/**
 * Reads the sessions, devices and events of an account, for administrators, and for the help desk if it may act on the
 * account.
 */
@Injectable()
export class AccountActivity {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly userSessions: Sessions,
    private readonly trustedDevices: TrustedDeviceList,
    private readonly eventSearch: EventSearch,
  ) {}

  /** Live, complete sessions, newest first. @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` */
  async sessions(subject: string, page: Slice, actor: Actor): Promise<readonly Session[]> {
    await this.directory.demandOpen(subject, actor);
    return this.userSessions.list(subject, page);
  }

  /** Trusted devices, newest first. @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` */
  async devices(subject: string, page: Slice, actor: Actor): Promise<readonly TrustedDevice[]> {
    await this.directory.demandOpen(subject, actor);
    return this.trustedDevices.list(subject, page);
  }

  /** Events, newest first; the help desk must name the user. @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` */
  async events(filter: EventFilter, actor: Actor): Promise<readonly EventRow[]> {
    if (actor.authority === 'help desk') {
      if (filter.user === undefined) throw new ServiceError('ACCESS_DENIED', { reason: 'help desk' });
      await this.directory.demandOpen(filter.user, actor);
    }
    return this.eventSearch.search(filter);
  }
}
