import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AccessCodeIssue } from '../../admin/access-code-issue.service.js';
import { AccountDirectory } from '../../admin/account-directory.service.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { FormBody, Operation } from '../../../platform/web/route.decorator.js';
import { AdminFormPages } from '../form/form-pages.decorator.js';
import { AdminPage } from '../page.decorator.js';
import { AdminPages } from './admin-pages.service.js';
import { AdminUserPages } from './admin-user-pages.service.js';
import { shownSecretPage } from './admin-users-page.js';
import { ISSUE_ACCESS_CODE } from './admin.openapi.js';
import { justificationForm } from './admin.schema.js';

/** Issues a temporary access code by the form of its page. */
@AdminFormPages()
@Controller()
export class AdminAccessCodeController {
  constructor(
    private readonly accessCodes: AccessCodeIssue,
    private readonly directory: AccountDirectory,
    private readonly pages: AdminPages,
    private readonly userPages: AdminUserPages,
  ) {}

  /** Shows the code in the response instead of redirecting, so that it is shown only once. */
  @Post(`${ADMIN_PAGES.user}/access-code`)
  @HttpCode(200)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage(`${ADMIN_PAGES.user}/access-code`)
  @FormBody()
  @Operation(ISSUE_ACCESS_CODE)
  async issue(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: justificationForm }) form: InferOutput<typeof justificationForm>,
  ): Promise<View> {
    const { account } = await this.directory.find(subject);
    const { code, expiresAt } = await this.userPages.perform('access-code', caller, subject, form, (act) =>
      this.accessCodes.issue(subject, act),
    );
    return shownSecretPage(this.pages.navigationFor(caller), {
      ...{ kind: 'accessCode', loginId: account.loginId, secret: code },
      ...{ expiresAt, back: this.pages.pathOf(subject) },
    });
  }
}
