import { Injectable } from '@nestjs/common';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { View } from '../../../platform/http/page/view.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { SecondFactorSummaries } from '../home/second-factor-summaries.service.js';
import type { FormFields } from '../form/forms.js';
import { AccountForms } from './account-forms.service.js';
import { accountPage } from './account-page.js';
import type { Done } from './account.schema.js';
import { SessionPanels } from './session-panels.service.js';

/** Collects what the overview of account security shows. */
@Injectable()
export class AccountOverview {
  constructor(
    private readonly secondFactors: SecondFactorSummaries,
    private readonly reauthentication: Reauthentication,
    private readonly panels: SessionPanels,
    private readonly forms: AccountForms,
    private readonly mails: MailQueue,
  ) {}

  async page(caller: FullPrincipal, done: Done | undefined): Promise<View> {
    const [account, secondFactor, panels] = await Promise.all([
      this.reauthentication.accountOf(caller),
      this.secondFactors.of(caller),
      this.panels.of(caller),
    ]);
    const { hasPassword, language } = account;
    const form = (path: string): FormFields => this.forms.plain(caller, path);
    return accountPage({
      navigation: this.forms.navigationFor(caller),
      ...withoutUndefined({ done, language }),
      profile: account,
      secondFactor,
      hasPassword,
      ...(this.mails.isEnabled && { mails: account }),
      ...panels,
      forms: {
        endSession: form(ACCOUNT_PAGES.endSession),
        endDevice: form(ACCOUNT_PAGES.endDevice),
        language: form(ACCOUNT_PAGES.language),
        verifyEmail: form(ACCOUNT_PAGES.verifyEmail),
      },
    });
  }
}
