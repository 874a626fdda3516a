import { Controller, Get } from '@nestjs/common';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { ClientDirectory } from '../../admin/client-directory.service.js';
import { AdminPage } from '../page.decorator.js';
import { clientsPage } from './admin-clients-page.js';
import { AdminPages } from './admin-pages.service.js';
import { SHOW_CLIENTS } from './admin.openapi.js';

/** The configured applications, for administrators. */
@ApiTag('Pages')
@RateLimited('administration')
@Controller(ADMIN_PAGES.clients)
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class AdminClientsController {
  constructor(
    private readonly directory: ClientDirectory,
    private readonly pages: AdminPages,
  ) {}

  @Get()
  @AdminPage()
  @Operation(SHOW_CLIENTS)
  async show(@Caller() caller: FullPrincipal): Promise<View> {
    return clientsPage(this.pages.navigationFor(caller), await this.directory.list());
  }
}
