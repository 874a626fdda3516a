import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { groupsWritten } from '../../../identity/account/profile.js';
import { AccountAdministration } from '../../admin/account-administration.service.js';
import { AccountDirectory } from '../../admin/account-directory.service.js';
import { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { AdminFormPages } from '../form/form-pages.decorator.js';
import { AdminPage } from '../page.decorator.js';
import { ActRoute } from './act-route.decorator.js';
import { AdminPages, type SeeOther } from './admin-pages.service.js';
import { AdminUserPages } from './admin-user-pages.service.js';
import { shownSecretPage } from './admin-users-page.js';
import { SET_TEMPORARY } from './admin.openapi.js';
import { changeForm, removalForm, rolesForm, justificationForm } from './admin.schema.js';
import { confirmedRolesIn, rolesIn } from './role-fields.js';

type JustificationForm = InferOutput<typeof justificationForm>;

/** Acts on a user by the forms of their pages; `AccountAdministration` has their rules. */
@AdminFormPages()
@Controller()
export class AdminActsController {
  constructor(
    private readonly administration: AccountAdministration,
    private readonly directory: AccountDirectory,
    private readonly provisioning: AccountProvisioning,
    private readonly pages: AdminPages,
    private readonly userPages: AdminUserPages,
  ) {}

  @ActRoute('unlock', 'Unlock the second factor')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  async unlock(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    const isUnlocked = await this.userPages.perform('unlock', caller, subject, form, (act) =>
      this.administration.unlock(subject, act),
    );
    return this.pages.userUrl(subject, isUnlocked ? 'unlocked' : 'notLocked');
  }

  @ActRoute('remove-authenticator', 'Remove one of several authenticators', { errors: ['MFA_STATE_CONFLICT'] })
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  async removeAuthenticator(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: removalForm }) form: InferOutput<typeof removalForm>,
  ): Promise<SeeOther> {
    await this.userPages.perform('remove-authenticator', caller, subject, form, (act) =>
      this.administration.removeAuthenticator(subject, form.authenticator, act),
    );
    return this.pages.userUrl(subject, 'removed');
  }

  @ActRoute('reset', 'Reset the second factor')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  async resetMfa(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    await this.userPages.perform('reset', caller, subject, form, (act) => this.administration.resetMfa(subject, act));
    return this.pages.userUrl(subject, 'reset');
  }

  @ActRoute('change', 'Change name, mail address, groups and the demand for a second factor')
  async change(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: changeForm }) form: InferOutput<typeof changeForm>,
  ): Promise<SeeOther> {
    const change = {
      displayName: form.name ?? null,
      email: form.email ?? null,
      groups: groupsWritten(form.groups),
      mfaRequired: form.mfa_required === 'true',
      ...(form.email_verified && { emailVerified: true }),
    };
    await this.userPages.perform('change', caller, subject, form, (act) =>
      this.administration.update(subject, change, act),
    );
    return this.pages.userUrl(subject, 'changed');
  }

  @ActRoute('roles', 'Replace the roles')
  async setRoles(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: rolesForm }) form: InferOutput<typeof rolesForm>,
  ): Promise<SeeOther> {
    const change = { roles: rolesIn(form) };
    await this.userPages.perform('roles', caller, subject, form, async (act) => {
      await this.pages.roles.demandKnown(change.roles, confirmedRolesIn(form));
      return this.administration.update(subject, change, act);
    });
    return this.pages.userUrl(subject, 'changed');
  }

  @ActRoute('disable', 'Disable the account')
  async disable(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    await this.userPages.perform('disable', caller, subject, form, (act) => this.administration.disable(subject, act));
    return this.pages.userUrl(subject, 'disabled');
  }

  @ActRoute('enable', 'Enable the account')
  async enable(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    await this.userPages.perform('enable', caller, subject, form, (act) => this.administration.enable(subject, act));
    return this.pages.userUrl(subject, 'enabled');
  }

  @ActRoute('invite', 'Mail another invitation')
  async invite(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    await this.userPages.perform('invite', caller, subject, form, (act) => this.provisioning.inviteAgain(subject, act));
    return this.pages.userUrl(subject, 'invited');
  }

  @ActRoute('delete', 'Delete a user')
  async delete(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<SeeOther> {
    const { account } = await this.directory.find(subject);
    await this.userPages.perform('delete', caller, subject, form, (act) => this.administration.delete(subject, act));
    return this.pages.usersUrl(account.loginId);
  }

  /** Shows the password in the response instead of redirecting, so that it is shown only once. */
  @Post(`${ADMIN_PAGES.user}/password`)
  @HttpCode(200)
  @AdminPage(`${ADMIN_PAGES.user}/password`)
  @FormBody()
  @Operation(SET_TEMPORARY)
  async resetPassword(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: JustificationForm,
  ): Promise<View> {
    const { account } = await this.directory.find(subject);
    const { generated: password = '', expiresAt } = await this.userPages.perform(
      'password',
      caller,
      subject,
      form,
      (act) => this.administration.resetPassword(subject, undefined, act),
    );
    return shownSecretPage(this.pages.navigationFor(caller), {
      ...{ kind: 'temporaryPassword', loginId: account.loginId, secret: password },
      ...{ expiresAt, back: this.pages.pathOf(subject) },
    });
  }
}
