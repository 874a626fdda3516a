import { Body, Controller, Get, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { OwnEnrolment, type PendingSecret } from '../../../signin/auth/own/own-enrolment.service.js';
import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { withForm } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { optionalNameIn } from '../form/name-field.js';
import { SecondFactorSummaries } from '../home/second-factor-summaries.service.js';
import { AccountPage, type PageResult, SendsOn } from '../page.decorator.js';
import { ADD_APP, SHOW_ADD_APP } from '../portal.openapi.js';
import type { AccountFormFields } from './account-form.js';
import { AccountForms } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { newAppForm } from './account.schema.js';
import { addAppPage } from './authenticator-forms.js';
import { InlineStepUp } from './inline-step-up.service.js';

const PATH = ACCOUNT_PAGES.addApp;

/** The page to add an authenticator app to the second factor of an account. */
@FormPages('self-service')
@Controller(PATH)
export class AddAppController {
  constructor(
    private readonly ownEnrolment: OwnEnrolment,
    private readonly summaries: SecondFactorSummaries,
    private readonly stepUp: InlineStepUp,
    private readonly forms: AccountForms,
  ) {}

  @Get()
  @AccountPage()
  @Operation(SHOW_ADD_APP)
  async show(@Caller() caller: FullPrincipal, @Res() reply: Reply): Promise<PageResult> {
    const { isActive, addable } = await this.summaries.of(caller);
    if (!isActive) {
      reply.seeOther(this.setupUrl());
      return '';
    }
    if (!addable.includes('totp')) {
      return accountNotePage(
        this.forms.navigationFor(caller),
        ({ account }) => account.addApp,
        ({ authenticators }) => authenticators.tooMany.totp,
      );
    }
    return this.page(caller, await this.pendingElsewhere(caller));
  }

  @Post()
  @SendsOn()
  @Operation(ADD_APP)
  async add(
    @Caller() caller: FullPrincipal,
    @Body({ schema: newAppForm }) { name: typed, replaces, ...confirmation }: InferOutput<typeof newAppForm>,
    @Res() reply: Reply,
  ): Promise<{ readonly url: string }> {
    const pending = await this.pendingElsewhere(caller);
    if (pending && replaces !== String(pending.until)) {
      const conflict = new ServiceError('MFA_STATE_CONFLICT', { reason: 'a secret is pending' });
      throw await withForm(conflict, (alert) => this.page(caller, pending, { alert, typed }));
    }
    const page = (fields: AccountFormFields): View => addAppPage(fields, { typed, ...withoutUndefined({ pending }) });
    await this.forms.showingErrors(caller, { path: PATH, page }, async () => {
      const name = optionalNameIn(typed);
      const proved = await this.stepUp.prove(caller, confirmation, reply);
      await this.ownEnrolment.setupOrResume(proved, { adds: true, ...withoutUndefined({ name }) });
    });
    return { url: this.setupUrl() };
  }

  private async page(
    caller: FullPrincipal,
    pending: PendingSecret | undefined,
    { alert, typed }: { readonly alert?: PagePart; readonly typed?: string } = {},
  ): Promise<View> {
    const fields = await this.forms.fields(caller, PATH, withoutUndefined({ alert }));
    return addAppPage(fields, withoutUndefined({ pending, typed }));
  }

  /** The pending secret that another login of the user has requested; replacing it needs a warning. */
  private async pendingElsewhere(caller: FullPrincipal): Promise<PendingSecret | undefined> {
    const pending = await this.ownEnrolment.pending(caller);
    return pending?.isOwn === false ? pending : undefined;
  }

  /** Path of the page that shows the pending secret and finally redirects to the overview. */
  private setupUrl(): string {
    return withReturnTo(this.forms.urlOf(SECOND_FACTOR_PAGES.enrol), this.forms.overviewAfter('app').url);
  }
}
