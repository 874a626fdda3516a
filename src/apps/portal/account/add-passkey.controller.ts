import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { type NewOwnPasskey, OwnPasskeys } from '../../../signin/auth/own/own-passkeys.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { ACCOUNT_PAGES, secondFactorPage } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { PagePart } from '../../../signin/messages/page.js';
import { StepUpRequired } from '../../../kernel/principal/amr.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { MAX_PASSKEYS } from '../../../identity/second-factor/passkey/passkey.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormPages } from '../form/form-pages.decorator.js';
import { optionalNameIn } from '../form/name-field.js';
import { registrationIn, registrationText } from '../form/passkey-field.js';
import { SecondFactorSummaries } from '../home/second-factor-summaries.service.js';
import { AccountPage, Page, type PageResult } from '../page.decorator.js';
import { ADD_PASSKEY, SHOW_ADD_PASSKEY } from '../portal.openapi.js';
import { ReauthenticationLinks } from '../second-factor/reauthentication-links.service.js';
import { AccountForms } from './account-forms.service.js';
import { accountNotePage } from './account-page.js';
import { newPasskeyForm } from './account.schema.js';
import { addPasskeyPage } from './authenticator-forms.js';

const PATH = ACCOUNT_PAGES.addPasskey;
const TOLD: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'MFA_STATE_CONFLICT', 'MFA_LOCKED']);

/**
 * The page to add a passkey to the second factor of an account. Its options need a proof before the form is sent, so the page
 * for a proof comes first if the last one is too old or too weak.
 */
@FormPages('self-service')
@Controller(PATH)
export class AddPasskeyController {
  constructor(
    private readonly passkeys: OwnPasskeys,
    private readonly reauthentication: Reauthentication,
    private readonly links: ReauthenticationLinks,
    private readonly summaries: SecondFactorSummaries,
    private readonly forms: AccountForms,
  ) {}

  @Get()
  @AccountPage()
  @Operation(SHOW_ADD_PASSKEY)
  async show(@Caller() caller: FullPrincipal, @Res() reply: Reply): Promise<PageResult> {
    const { isActive, addable, authenticators } = await this.summaries.of(caller);
    const security = this.forms.urlOf(ACCOUNT_PAGES.security);
    if (!isActive) return this.goTo(secondFactorPage(this.forms.contextPath, 'enrol', security), reply);
    if (!addable.includes('passkey')) {
      if (authenticators.filter(({ type }) => type === 'passkey').length < MAX_PASSKEYS)
        throw new ServiceError('NOT_FOUND');
      return this.fullPage(caller);
    }
    const verify = await this.verifyPath(caller);
    if (verify !== undefined) return this.goTo(verify, reply);
    return this.page(caller);
  }

  @Post()
  @HttpCode(200)
  @Page()
  @FormBody()
  @Operation(ADD_PASSKEY)
  async add(
    @Caller() caller: FullPrincipal,
    @Body({ schema: newPasskeyForm }) { name: typed, credential = '' }: InferOutput<typeof newPasskeyForm>,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    // Without a credential, the script got no options, or the last proof is no longer enough.
    const verify = credential === '' ? await this.verifyPath(caller) : undefined;
    if (verify !== undefined) return this.goTo(verify, reply);
    const added = await rerenderOnError(
      TOLD,
      async (alert) => (await this.forms.lock(caller, PATH)) ?? this.page(caller, { alert, typed }),
      () => this.register(caller, credential, typed),
      registrationText,
    );
    if ('verify' in added) return this.goTo(added.verify, reply);
    const { backupCodes: codes } = added;
    if (!codes) return this.goTo(this.forms.overviewAfter('passkey').url, reply);
    return this.goTo((await this.forms.codesAfter(caller, { codes, occasion: 'passkey' })).url, reply);
  }

  /**
   * Stores the passkey. `verify` is the page for a proof, if the account has come to need a stronger one since the
   * options were issued.
   */
  private async register(
    caller: FullPrincipal,
    credential: string,
    typed: string,
  ): Promise<NewOwnPasskey | { readonly verify: string }> {
    const name = optionalNameIn(typed);
    if (credential === '') {
      await this.passkeys.registrationOptions(caller);
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'credential', code: 'required' }] });
    }
    try {
      return await this.passkeys.register(caller, registrationIn(credential), name);
    } catch (error) {
      const verify = error instanceof StepUpRequired ? await this.verifyPath(caller) : undefined;
      if (verify === undefined) throw error;
      return { verify };
    }
  }

  private async page(
    caller: FullPrincipal,
    { alert, typed }: { readonly alert?: PagePart; readonly typed?: string } = {},
  ): Promise<View> {
    return addPasskeyPage(await this.forms.fields(caller, PATH, withoutUndefined({ alert })), typed);
  }

  /** Page that reports that the account has the maximum number of passkeys. */
  private fullPage(caller: FullPrincipal): View {
    return accountNotePage(
      this.forms.navigationFor(caller),
      ({ account }) => account.addPasskey,
      ({ authenticators }) => authenticators.tooMany.passkey,
    );
  }

  /** Path of the page for a proof of the second factor; undefined if the last proof suffices. */
  private async verifyPath(caller: FullPrincipal): Promise<string | undefined> {
    const account = await this.reauthentication.accountOf(caller);
    if (this.reauthentication.mayChange(caller, account)) return undefined;
    return this.links.proofForChanges(account, this.forms.urlOf(PATH));
  }

  private goTo(url: string, reply: Reply): '' {
    reply.seeOther(url);
    return '';
  }
}
