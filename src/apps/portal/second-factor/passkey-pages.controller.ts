import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { OwnPasskeys } from '../../../signin/auth/own/own-passkeys.service.js';
import { ACCOUNT_PAGES, SECOND_FACTOR_PAGES, secondFactorPage } from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { AlsoHalfAuthenticated, Caller, SecondFactorRoute } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { codeIn } from '../form/code-field.js';
import { optionalNameIn } from '../form/name-field.js';
import { passkeyForm, returnToSchema } from '../form/forms.schema.js';
import { PageForms } from '../form/page-forms.service.js';
import { registrationIn, registrationText } from '../form/passkey-field.js';
import { Page, type PageResult } from '../page.decorator.js';
import { SET_UP_PASSKEY, SHOW_SET_UP_PASSKEY } from '../portal.openapi.js';
import { creationPage } from './choice-page.js';
import type { ErrorTexts } from './code-pages.service.js';
import { ownerOf } from './codes-pages.service.js';
import { SetupPages } from './setup-pages.service.js';
import { SetupSteps } from './setup-steps.service.js';

const { passkey: PASSKEY_PATH } = SECOND_FACTOR_PAGES;
const textOf: ErrorTexts[ErrorCode] = (t, error) => registrationText(error)(t);
const PASSKEY_TEXTS: ErrorTexts = { VALIDATION_FAILED: textOf, MFA_STATE_CONFLICT: textOf };

function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'MFA_STATE_CONFLICT';
}

type PasskeyForm = InferOutput<typeof passkeyForm>;

/** Registration of the first passkey of an account, or of the one that policy demands, as a page (http-api section 5). */
@SecondFactorRoute()
@AlsoHalfAuthenticated()
@FormPages('second-factor')
@Controller(PASSKEY_PATH)
export class PasskeyPagesController {
  constructor(
    private readonly passkeys: OwnPasskeys,
    private readonly forms: PageForms,
    private readonly pages: SetupPages,
    private readonly steps: SetupSteps,
  ) {}

  @Get()
  @Page()
  @Operation(SHOW_SET_UP_PASSKEY)
  show(
    @Query({ schema: returnToSchema }) { return_to: returnTo }: InferOutput<typeof returnToSchema>,
    @Res() reply: Reply,
  ): PageResult {
    reply.seeOther(this.pathOf('enrol', this.forms.returnTarget(returnTo)));
    return '';
  }

  @Post()
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(SET_UP_PASSKEY)
  async add(
    @Caller() caller: Principal,
    @Body({ schema: passkeyForm }) form: PasskeyForm,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const returnTo = this.forms.returnTarget(form.return_to);
    const hasFactor = !(await this.pages.mustEnrol(caller));
    // The same form was sent before, for example after a reload.
    if (caller.kind === 'half' && hasFactor) return this.goOn(caller, returnTo, reply);
    const { credential = '' } = form;
    if (credential === '') return this.creation(caller, form, returnTo);
    const added = await this.showingErrors(caller, returnTo, PASSKEY_TEXTS, async () => {
      const registration = registrationIn(credential);
      try {
        return await this.passkeys.register(caller, registration, optionalNameIn(form.name));
      } catch (error) {
        if (caller.kind === 'half' || !hasFactor || !isConflict(error)) throw error;
        // After a reload, the first form has already stored the passkey. Otherwise the user has set up another
        // authenticator meanwhile.
        const url = (await this.passkeys.isRegistered(caller, registration)) ? returnTo : this.addPasskeyUrl();
        return { url };
      }
    });
    if ('url' in added) {
      reply.seeOther(added.url);
      return '';
    }
    const { backupCodes: codes } = added;
    if (!codes) return this.goOn(caller, returnTo, reply);
    reply.seeOther(await this.pages.codesUrl(ownerOf(caller), { codes, occasion: 'passkey' }, returnTo));
    return '';
  }

  /**
   * Issues new options: the form contained no credential, because the user sends a code first or the script got no
   * options.
   */
  private async creation(caller: Principal, { code }: PasskeyForm, returnTo: string): Promise<View> {
    const options = await this.showingErrors(caller, returnTo, {}, () =>
      this.passkeys.registrationOptions(caller, { code: code === undefined ? undefined : codeIn(code) }),
    );
    return creationPage(await this.pages.fields(PASSKEY_PATH, caller, returnTo), options);
  }

  private addPasskeyUrl(): string {
    return this.forms.contextPath + ACCOUNT_PAGES.addPasskey;
  }

  private async showingErrors<T>(
    caller: Principal,
    returnTo: string,
    texts: ErrorTexts,
    step: () => Promise<T>,
  ): Promise<T> {
    const again = (alert: PagePart): Promise<View> => this.pages.page(caller, returnTo, alert);
    return this.steps.showingErrors(caller, { returnTo, texts }, again, step);
  }

  /** A half-authenticated user proves the second factor next. */
  private goOn({ kind }: Principal, returnTo: string, reply: Reply): '' {
    reply.seeOther(kind === 'half' ? this.pathOf('verify', returnTo) : returnTo);
    return '';
  }

  private pathOf(next: 'verify' | 'enrol', returnTo: string): string {
    return secondFactorPage(this.forms.contextPath, next, returnTo);
  }
}
