import { Body, Controller, Get, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { AccountAdministration } from '../../admin/account-administration.service.js';
import { actorOf } from '../../admin/act.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { AdminFormPages } from '../form/form-pages.decorator.js';
import { AdminPage } from '../page.decorator.js';
import { ActRoute } from './act-route.decorator.js';
import { AdminPages, type SeeOther } from './admin-pages.service.js';
import { AdminUserPages } from './admin-user-pages.service.js';
import { SHOW_ACCESS, SHOW_ACT, SHOW_ACTIVITY_OF_USER, SHOW_USER } from './admin.openapi.js';
import { activityQuery, actQuery, endForm, userQuery } from './admin.schema.js';
import { isUserAct } from './user-acts.js';

type End = InferOutput<typeof endForm>;

/** Pages about a user, for administrators and the help desk, and the forms that end sessions and trusted browsers. */
@AdminFormPages()
@Controller()
export class AdminUserController {
  constructor(
    private readonly administration: AccountAdministration,
    private readonly pages: AdminPages,
    private readonly userPages: AdminUserPages,
  ) {}

  @Get(ADMIN_PAGES.user)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage()
  @Operation(SHOW_USER)
  show(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Query({ schema: userQuery }) { done }: InferOutput<typeof userQuery>,
  ): Promise<View> {
    return this.userPages.overview(caller, subject, done);
  }

  @Get(`${ADMIN_PAGES.user}/access`)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage()
  @Operation(SHOW_ACCESS)
  showAccess(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Query({ schema: userQuery }) { done }: InferOutput<typeof userQuery>,
  ): Promise<View> {
    return this.userPages.access(caller, subject, done);
  }

  @Get(`${ADMIN_PAGES.user}/activity`)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage()
  @Operation(SHOW_ACTIVITY_OF_USER)
  showActivity(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Query({ schema: activityQuery }) { after }: InferOutput<typeof activityQuery>,
  ): Promise<View> {
    return this.userPages.activity(caller, subject, after);
  }

  /** The page of each act, whose form `AdminActsController` takes. */
  @Get(`${ADMIN_PAGES.user}/:act`)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @AdminPage()
  @Operation(SHOW_ACT)
  async showAct(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Param('act') act: string,
    @Query({ schema: actQuery }) { authenticator }: InferOutput<typeof actQuery>,
  ): Promise<View> {
    if (!isUserAct(act)) throw new ServiceError('NOT_FOUND');
    return this.userPages.act(caller, subject, act, { authenticator });
  }

  @ActRoute('end-session', 'End one session, or all', { page: 'access' })
  async endSession(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: endForm }) { id }: End,
  ): Promise<SeeOther> {
    const act = actorOf(caller);
    if (id === undefined) await this.administration.endSessions(subject, act);
    else await this.administration.endSession(subject, id, act);
    return this.pages.userUrl(subject, id === undefined ? 'sessions' : 'session', 'access');
  }

  @ActRoute('end-device', 'End the trust in a browser', { page: 'access' })
  async endDevice(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: endForm }) { id = '' }: End,
  ): Promise<SeeOther> {
    await this.administration.endTrust(subject, id, actorOf(caller));
    return this.pages.userUrl(subject, 'device', 'access');
  }
}
