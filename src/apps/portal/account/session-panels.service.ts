import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { ShownDevice, ShownSession } from './session-panels.js';

/** Reads the sessions and trusted browsers of the caller. */
@Injectable()
export class SessionPanels {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
  ) {}

  /** Lists the session of the caller first. */
  async of({ subject, sid }: FullPrincipal): Promise<{
    readonly sessions: readonly ShownSession[];
    readonly devices: readonly ShownDevice[];
  }> {
    const [sessions, devices] = await Promise.all([this.sessions.list(subject), this.devices.list(subject)]);
    return {
      sessions: sessions
        .map(({ id, application, agent, ip, lastUsedAt }) => ({
          ...withoutUndefined({ application: application?.clientId }),
          ...{ id, agent, ip, lastUsedAt, isCurrent: id === sid },
        }))
        .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent)),
      devices: devices.map(({ id, label: agent, lastUsedAt, expiresAt }) => ({ id, agent, lastUsedAt, expiresAt })),
    };
  }
}
