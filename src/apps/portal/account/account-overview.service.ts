import { Injectable } from '@nestjs/common';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { View } from '../../../platform/http/page/view.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { SecondFactorSummaries } from '../home/second-factor-summaries.service.js';
import type { FormFields } from '../form/forms.js';
import { AccountForms } from './account-forms.service.js';
import { accountPage } from './account-page.js';
import type { Done } from './account.schema.js';

/** Collects what the overview of account security shows. */
@Injectable()
export class AccountOverview {
  constructor(
    private readonly secondFactors: SecondFactorSummaries,
    private readonly reauthentication: Reauthentication,
    private readonly sessions: Sessions,
    private readonly devices: TrustedDeviceList,
    private readonly forms: AccountForms,
    private readonly mails: MailQueue,
  ) {}

  async page(caller: FullPrincipal, done: Done | undefined): Promise<View> {
    const { subject, sid } = caller;
    const [{ hasPassword, email, language }, secondFactor, sessions, devices] = await Promise.all([
      this.reauthentication.accountOf(caller),
      this.secondFactors.of(caller),
      this.sessions.list(subject),
      this.devices.list(subject),
    ]);
    const form = (path: string): FormFields => this.forms.plain(caller, path);
    return accountPage({
      navigation: this.forms.navigationFor(caller),
      ...withoutUndefined({ done, language }),
      secondFactor,
      hasPassword,
      ...(this.mails.isEnabled && { mails: withoutUndefined({ email }) }),
      sessions: sessions
        .map(({ id, agent, ip, lastUsedAt }) => ({ id, agent, ip, lastUsedAt, isCurrent: id === sid }))
        .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent)),
      devices: devices.map(({ id, label: agent, lastUsedAt, expiresAt }) => ({ id, agent, lastUsedAt, expiresAt })),
      forms: {
        endSession: form(ACCOUNT_PAGES.endSession),
        endDevice: form(ACCOUNT_PAGES.endDevice),
        language: form(ACCOUNT_PAGES.language),
      },
    });
  }
}
