import { Controller, Get } from '@nestjs/common';
import type { View } from '../../../../platform/http/page/view.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../../kernel/principal/principal.js';
import { RateLimited } from '../../../../platform/rate-limit/rate-limited.decorator.js';
import { ApiTag, Operation } from '../../../../platform/web/route.decorator.js';
import { ADMIN_PAGES } from '../../../../signin/auth/page-paths.js';
import { actorOf } from '../../../admin/act.js';
import { Overviews } from '../../../admin/overview/overviews.service.js';
import { SystemStates } from '../../../admin/overview/system-states.service.js';
import { AdminPage } from '../../page.decorator.js';
import { overviewPage } from './admin-overview-page.js';
import { AdminPages } from '../admin-pages.service.js';
import { SHOW_OVERVIEW } from '../admin.openapi.js';

/** The state of users, sign-ins and the service, for administrators, and its first two for the help desk. */
@ApiTag('Pages')
@RateLimited('administration')
@Controller(ADMIN_PAGES.overview)
@RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
@RequireMfa({ maxAge: 300 })
export class AdminOverviewController {
  constructor(
    private readonly overviews: Overviews,
    private readonly system: SystemStates,
    private readonly pages: AdminPages,
  ) {}

  @Get()
  @AdminPage()
  @Operation(SHOW_OVERVIEW)
  async show(@Caller() caller: FullPrincipal): Promise<View> {
    const isAdministrator = actorOf(caller).authority === 'administrator';
    const [overview, system] = await Promise.all([
      this.overviews.read(),
      isAdministrator ? this.system.read() : undefined,
    ]);
    return overviewPage(this.pages.navigationFor(caller), overview, system);
  }
}
