import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import type { Account } from '../../../identity/account/account.js';
import { groupsWritten } from '../../../identity/account/profile.js';
import { AccountSearch } from '../../admin/account-search.service.js';
import { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import { actorOf } from '../../admin/act.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { AdminFormPages } from '../form/form-pages.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { AdminPage, type PageResult } from '../page.decorator.js';
import { ACT_ERRORS, adminErrorText, AdminPages } from './admin-pages.service.js';
import { confirmedRolesIn, rolesIn } from './role-fields.js';
import { newRolesIn } from '../../admin/known-roles.service.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import { type NewUserFields, newUserPage, shownSecretPage, usersPage } from './admin-users-page.js';
import { CREATE_USER, SHOW_NEW_USER, SHOW_USERS } from './admin.openapi.js';
import { newUserForm, usersQuery } from './admin.schema.js';

const USERS_PER_PAGE = 30;

type NewUser = InferOutput<typeof newUserForm>;

/** Pages of administrators and the help desk: find users, create one. */
@AdminFormPages()
@Controller()
export class AdminUsersController {
  constructor(
    private readonly search: AccountSearch,
    private readonly provisioning: AccountProvisioning,
    private readonly pages: AdminPages,
    private readonly forms: PageForms,
  ) {}

  @Get(ADMIN_PAGES.users)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage()
  @Operation(SHOW_USERS)
  async list(
    @Caller() caller: FullPrincipal,
    @Query({ schema: usersQuery }) { after, before, deleted, ...filter }: InferOutput<typeof usersQuery>,
  ): Promise<View> {
    const { query, state, inactive: inactiveDays } = filter;
    const conditions = { query, state, inactiveDays, role: filter.role.trim() === '' ? undefined : filter.role.trim() };
    const [found, total] = await Promise.all([
      this.search.page({ ...conditions, after, before, limit: USERS_PER_PAGE + 1 }),
      this.search.count(conditions),
    ]);
    const { shown: users, hasPrevious, hasNext } = sliceOf(found, { after, before });
    return usersPage({
      navigation: this.pages.navigationFor(caller),
      users,
      filter,
      total,
      after: hasNext ? users.at(-1)?.loginId : undefined,
      before: hasPrevious ? users[0]?.loginId : undefined,
      isAdministrator: actorOf(caller).authority === 'administrator',
      ...withoutUndefined({ deleted }),
    });
  }

  @Get(ADMIN_PAGES.newUser)
  @AdminPage()
  @Operation(SHOW_NEW_USER)
  async showNew(@Caller() caller: FullPrincipal): Promise<View> {
    return newUserPage(await this.newUserFields(caller));
  }

  /** Invites the user by mail, or shows a temporary password once. */
  @Post(ADMIN_PAGES.newUser)
  @HttpCode(200)
  @AdminPage(ADMIN_PAGES.newUser)
  @FormBody()
  @Operation(CREATE_USER)
  async create(
    @Caller() caller: FullPrincipal,
    @Body({ schema: newUserForm }) form: NewUser,
    @Res() reply: Reply,
  ): Promise<PageResult> {
    const { id, name, email, email_verified, groups, access } = form;
    const roles = rolesIn(form);
    const profile = { displayName: name, email, emailVerified: email_verified !== undefined };
    const person = { loginId: id, ...profile, groups: groupsWritten(groups), roles };
    const act = actorOf(caller);
    return rerenderOnError(
      ACT_ERRORS,
      async (alert, error) => newUserPage({ ...(await this.newUserFields(caller, error)), typed: form, alert }),
      async () => {
        await this.pages.roles.demandKnown(roles, confirmedRolesIn(form));
        if (access === 'invite') {
          const { account } = await this.provisioning.invite(person, 'mail', act, { isNew: true });
          reply.seeOther(this.pages.userUrl(account.id, 'invited').url);
          return '';
        }
        const { account, password, expiresAt } = await this.provisioning.createTemporary(person, act);
        return shownSecretPage(this.pages.navigationFor(caller), {
          ...{ kind: 'temporaryPassword', loginId: account.loginId, secret: password },
          ...{ expiresAt, back: this.pages.pathOf(account.id) },
        });
      },
      adminErrorText,
    );
  }

  private async newUserFields(caller: FullPrincipal, error?: ServiceError): Promise<NewUserFields> {
    return {
      ...this.forms.forCaller(ADMIN_PAGES.newUser, caller),
      navigation: this.pages.navigationFor(caller),
      canInvite: this.provisioning.canMailInvitations,
      roles: { known: await this.pages.roles.names(), unknown: error ? newRolesIn(error) : [] },
    };
  }
}

/** The page of what was found, which has one user more than a page if others follow in its direction. */
function sliceOf(
  found: readonly Account[],
  { after, before }: { readonly after: string | undefined; readonly before: string | undefined },
): { readonly shown: readonly Account[]; readonly hasPrevious: boolean; readonly hasNext: boolean } {
  const hasMore = found.length > USERS_PER_PAGE;
  if (before !== undefined) {
    return { shown: found.slice(-USERS_PER_PAGE), hasPrevious: hasMore, hasNext: true };
  }
  return { shown: found.slice(0, USERS_PER_PAGE), hasPrevious: after !== undefined, hasNext: hasMore };
}
