import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { OwnSecondFactor } from '../../../signin/auth/own/own-second-factor.service.js';
import { ACCOUNT_PAGES, authenticatorPath } from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Reason } from '../../../kernel/errors/reason.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Authenticator } from '../../../identity/second-factor/factor-state.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { nameIn } from '../form/name-field.js';
import type { SecondFactorSummary } from '../home/second-factor-summary.js';
import { SecondFactorSummaries } from '../home/second-factor-summaries.service.js';
import { AccountPage, SendsOn } from '../page.decorator.js';
import {
  REMOVE_AUTHENTICATOR,
  RENAME_AUTHENTICATOR,
  SHOW_REMOVE_AUTHENTICATOR,
  SHOW_RENAME_AUTHENTICATOR,
} from '../portal.openapi.js';
import type { AccountFormFields } from './account-form.js';
import { AccountForms } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { confirmedForm, namedForm } from './account.schema.js';
import { nameOf } from './authenticator-facts.js';
import { removePage, renamePage } from './authenticator-forms.js';
import { InlineStepUp } from './inline-step-up.service.js';
import { type IrremovableReason, irremovableReason } from './second-factor-panel.js';

const KEPT: ReadonlySet<ErrorCode> = new Set(['MFA_STATE_CONFLICT']);
const REASONS: Readonly<Record<IrremovableReason, Reason>> = {
  only: 'last authenticator',
  last: 'policy demands it',
  passkey: 'policy demands a passkey',
};

interface Found {
  readonly authenticator: Authenticator;
  readonly summary: SecondFactorSummary;
}

/** The pages to rename and to remove one authenticator. */
@FormPages('self-service')
@Controller()
export class AuthenticatorsController {
  constructor(
    private readonly own: OwnSecondFactor,
    private readonly summaries: SecondFactorSummaries,
    private readonly stepUp: InlineStepUp,
    private readonly credentials: CredentialWriter,
    private readonly forms: AccountForms,
  ) {}

  @Get(ACCOUNT_PAGES.rename)
  @AccountPage()
  @Operation(SHOW_RENAME_AUTHENTICATOR)
  async showRename(@Caller() caller: FullPrincipal, @Param('id') id: string): Promise<View> {
    const { authenticator } = await this.find(caller, id);
    return renamePage(await this.forms.fields(caller, authenticatorPath('rename', id)), authenticator);
  }

  @Post(ACCOUNT_PAGES.rename)
  @SendsOn()
  @Operation(RENAME_AUTHENTICATOR)
  async rename(
    @Caller() caller: FullPrincipal,
    @Param('id') id: string,
    @Body({ schema: namedForm }) { name: typed, ...confirmation }: InferOutput<typeof namedForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const { authenticator } = await this.find(caller, id);
    const shown = {
      path: authenticatorPath('rename', id),
      page: (fields: AccountFormFields) => renamePage(fields, authenticator, typed),
    };
    await this.forms.showingErrors(caller, shown, async () => {
      const name = nameIn(typed);
      await this.own.rename(await this.stepUp.prove(caller, confirmation, reply), id, name);
    });
    return this.forms.overviewAfter('renamed');
  }

  @Get(ACCOUNT_PAGES.remove)
  @AccountPage()
  @Operation(SHOW_REMOVE_AUTHENTICATOR)
  async showRemove(@Caller() caller: FullPrincipal, @Param('id') id: string): Promise<View> {
    const found = await this.find(caller, id);
    const reason = irremovableReason(found.authenticator, found.summary);
    if (reason) return this.irremovablePage(caller, found);
    return removePage(await this.forms.fields(caller, authenticatorPath('remove', id)), found.authenticator);
  }

  @Post(ACCOUNT_PAGES.remove)
  @SendsOn()
  @Operation(REMOVE_AUTHENTICATOR)
  async remove(
    @Caller() caller: FullPrincipal,
    @Param('id') id: string,
    @Body({ schema: confirmedForm }) confirmation: InferOutput<typeof confirmedForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const found = await this.find(caller, id);
    const shown = {
      path: authenticatorPath('remove', id),
      page: (fields: AccountFormFields) => removePage(fields, found.authenticator),
    };
    const reason = irremovableReason(found.authenticator, found.summary);
    const renewed = await rerenderOnError(
      KEPT,
      async (_, error) => {
        const now = await this.find(caller, id);
        if (!irremovableReason(now.authenticator, now.summary)) throw error;
        return this.irremovablePage(caller, now);
      },
      () => {
        if (reason) throw new ServiceError('MFA_STATE_CONFLICT', { reason: REASONS[reason] });
        return this.forms.showingErrors(caller, shown, async () =>
          this.own.remove(await this.stepUp.prove(caller, confirmation, reply), id),
        );
      },
    );
    if (renewed) this.credentials.writeCookies(reply, renewed);
    return this.forms.overviewAfter('removed');
  }

  /**
   * Finds an authenticator of the caller.
   * @throws ServiceError `NOT_FOUND`, also for an authenticator of another user
   */
  private async find(caller: FullPrincipal, id: string): Promise<Found> {
    const summary = await this.summaries.of(caller);
    const authenticator = summary.authenticators.find((each) => each.id === id);
    if (!authenticator) throw new ServiceError('NOT_FOUND');
    return { authenticator, summary };
  }

  /** Page in place of the form that tells why the authenticator cannot be removed and what is possible instead. */
  private irremovablePage(caller: FullPrincipal, { authenticator, summary }: Found): View {
    const reason = irremovableReason(authenticator, summary) ?? 'only';
    return accountNotePage(
      this.forms.navigationFor(caller),
      (t) => t.authenticators.removeTitle(nameOf(t, authenticator)),
      ({ account }) => account.kept[reason],
      reason === 'only' ? { path: ACCOUNT_PAGES.turnOff, label: ({ turnOff }) => turnOff.title } : undefined,
    );
  }
}
