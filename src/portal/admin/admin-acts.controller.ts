import { Body, Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { rolesWritten } from '../../account/account.js';
import { AccountAdministration } from '../../admin/account-administration.service.js';
import { AccountDirectory } from '../../admin/account-directory.service.js';
import { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import { actorOf } from '../../admin/act.js';
import { ADMIN_PAGES } from '../../auth/page-paths.js';
import type { PagePart, View } from '../../http/page/view.js';
import { Caller, RequireAmr, RequireAuthority } from '../../principal/access.decorator.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { ApiTag, FormBody, Operation } from '../../web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { FormTokenGuard } from '../form/form-token.guard.js';
import { AdminPage, SendsOnAdmin } from '../page.decorator.js';
import { ACT_ERRORS, adminErrorText, AdminPages } from './admin-pages.service.js';
import { deletionPage, type GivenAct } from './admin-user-page.js';
import { temporaryPasswordPage } from './admin-users-page.js';
import { actOperation, DELETE_USER, SET_TEMPORARY, SHOW_DELETION } from './admin.openapi.js';
import { changeForm, endForm, statedForm, statusForm } from './admin.schema.js';

type Stated = InferOutput<typeof statedForm>;
interface DeletionState {
  readonly alert: PagePart;
  readonly given: GivenAct;
}
interface SeeOther {
  readonly url: string;
}

/** Acts on a user by the forms of the page about the user; `AccountAdministration` has their rules. */
@UseGuards(FormTokenGuard)
@ApiTag('Pages')
@Controller()
@RequireAuthority('ROLE_ADMIN')
@RequireAmr('otp', { maxAge: 300 })
export class AdminActsController {
  constructor(
    private readonly administration: AccountAdministration,
    private readonly directory: AccountDirectory,
    private readonly provisioning: AccountProvisioning,
    private readonly pages: AdminPages,
  ) {}

  @Post(`${ADMIN_PAGES.user}/unlock`)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @SendsOnAdmin()
  @Operation(actOperation('Unlock the second factor'))
  async unlock(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statedForm }) { reason, ticket }: Stated,
  ): Promise<SeeOther> {
    const act = { ...actorOf(caller), reason, ticket };
    const isUnlocked = await this.pages.act(caller, subject, { act: 'unlock', reason, ticket }, () =>
      this.administration.unlock(subject, act),
    );
    return this.pages.userUrl(subject, isUnlocked ? 'unlocked' : 'notLocked');
  }

  @Post(`${ADMIN_PAGES.user}/reset`)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @SendsOnAdmin()
  @Operation(actOperation('Reset the second factor'))
  async resetMfa(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statedForm }) { reason, ticket }: Stated,
  ): Promise<SeeOther> {
    const act = { ...actorOf(caller), reason, ticket };
    await this.pages.act(caller, subject, { act: 'reset', reason, ticket }, () =>
      this.administration.resetMfa(subject, act),
    );
    return this.pages.userUrl(subject, 'reset');
  }

  @Post(`${ADMIN_PAGES.user}/change`)
  @SendsOnAdmin()
  @Operation(actOperation('Change mail address, roles and the demand for a second factor'))
  async change(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: changeForm }) form: InferOutput<typeof changeForm>,
  ): Promise<SeeOther> {
    const { reason, ticket, email, roles, mfa_required: required } = form;
    const change = { email: email ?? null, roles: rolesWritten(roles), mfaRequired: required === 'true' };
    const act = { ...actorOf(caller), reason, ticket };
    const given = { act: 'change', reason, ticket, email, roles, isMfaRequired: change.mfaRequired } as const;
    await this.pages.act(caller, subject, given, () => this.administration.update(subject, change, act));
    return this.pages.userUrl(subject, 'changed');
  }

  @Post(`${ADMIN_PAGES.user}/status`)
  @SendsOnAdmin()
  @Operation(actOperation('Disable or enable the account'))
  async setStatus(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statusForm }) { status, reason, ticket }: InferOutput<typeof statusForm>,
  ): Promise<SeeOther> {
    const act = { ...actorOf(caller), reason, ticket };
    await this.pages.act(caller, subject, { act: 'status' }, () =>
      this.administration.update(subject, { status }, act),
    );
    return this.pages.userUrl(subject, status === 'disabled' ? 'disabled' : 'enabled');
  }

  @Post(`${ADMIN_PAGES.user}/password`)
  @HttpCode(200)
  @AdminPage()
  @FormBody()
  @Operation(SET_TEMPORARY)
  async resetPassword(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statedForm }) { reason, ticket }: Stated,
  ): Promise<View> {
    const act = { ...actorOf(caller), reason, ticket };
    const { generated: password = '', expiresAt } = await this.pages.act(
      caller,
      subject,
      { act: 'password', reason, ticket },
      () => this.administration.resetPassword(subject, undefined, act),
    );
    const { loginId } = (await this.directory.find(subject)).account;
    const back = this.pages.pathOf(subject);
    return temporaryPasswordPage(this.pages.navigationFor(caller), { loginId, password, expiresAt, back });
  }

  @Post(`${ADMIN_PAGES.user}/invite`)
  @SendsOnAdmin()
  @Operation(actOperation('Mail another invitation'))
  async invite(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statedForm }) { reason, ticket }: Stated,
  ): Promise<SeeOther> {
    const { loginId } = (await this.directory.find(subject)).account;
    const act = { ...actorOf(caller), reason, ticket };
    await this.pages.act(caller, subject, { act: 'invite' }, () => this.provisioning.invite({ loginId }, 'mail', act));
    return this.pages.userUrl(subject, 'invited');
  }

  @Post(`${ADMIN_PAGES.user}/end-session`)
  @SendsOnAdmin()
  @Operation(actOperation('End one session, or all'))
  async endSession(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: endForm }) { id }: InferOutput<typeof endForm>,
  ): Promise<SeeOther> {
    const act = actorOf(caller);
    if (id === undefined) await this.administration.endSessions(subject, act);
    else await this.administration.endSession(subject, id, act);
    return this.pages.userUrl(subject, id === undefined ? 'sessions' : 'session');
  }

  @Post(`${ADMIN_PAGES.user}/end-device`)
  @SendsOnAdmin()
  @Operation(actOperation('End the trust in a browser'))
  async endDevice(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: endForm }) { id = '' }: InferOutput<typeof endForm>,
  ): Promise<SeeOther> {
    await this.administration.endTrust(subject, id, actorOf(caller));
    return this.pages.userUrl(subject, 'device');
  }

  @Get(ADMIN_PAGES.deletion)
  @AdminPage()
  @Operation(SHOW_DELETION)
  async showDeletion(@Caller() caller: FullPrincipal, @Param('sub') subject: string): Promise<View> {
    return this.deletion(caller, subject);
  }

  @Post(ADMIN_PAGES.deletion)
  @SendsOnAdmin()
  @Operation(DELETE_USER)
  async delete(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: statedForm }) { reason, ticket }: Stated,
  ): Promise<SeeOther> {
    const { loginId } = (await this.directory.find(subject)).account;
    const act = { ...actorOf(caller), reason, ticket };
    await rerenderOnError(
      ACT_ERRORS,
      (alert) => this.deletion(caller, subject, { alert, given: { act: 'delete', reason, ticket } }),
      () => this.administration.delete(subject, act),
      adminErrorText,
    );
    return this.pages.usersUrl(loginId);
  }

  private async deletion(caller: FullPrincipal, subject: string, failed?: DeletionState): Promise<View> {
    const { account } = await this.directory.find(subject);
    return deletionPage(
      this.pages.navigationFor(caller),
      account,
      this.pages.formFor(caller, subject, 'delete'),
      failed,
    );
  }
}
