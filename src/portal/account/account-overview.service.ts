import { Injectable } from '@nestjs/common';
import { Reauthentication } from '../../auth/own/reauthentication.service.js';
import { OwnSecondFactor } from '../../auth/own/own-second-factor.service.js';
import { ACCOUNT_PAGES } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type { View } from '../../http/page/view.js';
import { MailQueue } from '../../mail/mail-queue.service.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { Idps } from '../../saml/idp/idps.service.js';
import { TrustedDeviceList } from '../../second-factor/trusted-device/trusted-device-list.service.js';
import { Sessions } from '../../session/sessions.service.js';
import { PageForms } from '../form/page-forms.service.js';
import { Navigation } from '../home/navigation.service.js';
import { type AccountFields, accountPage } from './account-page.js';
import type { Done } from './account.schema.js';

/** Collects what the overview of account security shows. */
@Injectable()
export class AccountOverview {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly reauthentication: Reauthentication,
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly idps: Idps,
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    private readonly mails: MailQueue,
  ) {}

  async page(caller: FullPrincipal, done: Done | undefined): Promise<View> {
    const { subject, sid } = caller;
    const [{ hasPassword, email }, secondFactor, sessions, devices] = await Promise.all([
      this.reauthentication.accountOf(caller),
      this.secondFactor(caller),
      this.sessions.list(subject),
      this.devices.list(subject),
    ]);
    const form = (path: string): AccountFields['forms']['endSession'] => this.forms.forCaller(path, caller);
    return accountPage({
      navigation: this.navigation.for(caller, 'security'),
      ...withoutUndefined({ done }),
      secondFactor,
      hasPassword,
      ...(this.mails.isEnabled && { mails: withoutUndefined({ email }) }),
      sessions: sessions.map(({ id, agent, ip, lastUsedAt }) => ({ id, agent, ip, lastUsedAt, isCurrent: id === sid })),
      devices: devices.map(({ id, label: agent, lastUsedAt, expiresAt }) => ({ id, agent, lastUsedAt, expiresAt })),
      forms: {
        endSession: form(ACCOUNT_PAGES.endSession),
        endDevice: form(ACCOUNT_PAGES.endDevice),
        language: form(ACCOUNT_PAGES.language),
      },
    });
  }

  private async secondFactor(caller: FullPrincipal): Promise<AccountFields['secondFactor']> {
    const { factors, isDemanded } = await this.own.state(caller);
    const { remaining: codesLeft, isLow } = factors.backupCodes;
    const organisation = caller.idp === undefined ? undefined : this.idps.displayName(caller.idp);
    const { activatedAt } = factors;
    return {
      isActive: factors.state === 'active',
      ...{ codesLeft, isLow, isDemanded },
      ...withoutUndefined({ activatedAt, organisation }),
    };
  }
}
