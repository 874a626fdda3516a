import { Controller, Get, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ACCOUNT_PAGES } from '../../../signin/auth/page-paths.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import type { View } from '../../../platform/http/page/view.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { Navigation } from '../home/navigation.service.js';
import { AccountPage } from '../page.decorator.js';
import { SHOW_ACTIVITY } from '../portal.openapi.js';
import { activityPage, shownEvent } from './activity-page.js';
import { activityQuery } from './account.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const EVENTS_PER_PAGE = 30;

/** The page with the security events of the account. */
@ApiTag('Pages')
@RateLimited('self-service')
@Controller(ACCOUNT_PAGES.activity)
export class ActivityController {
  constructor(
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
    private readonly navigation: Navigation,
  ) {}

  @Get()
  @AccountPage()
  @Operation(SHOW_ACTIVITY)
  async show(
    @Caller() caller: FullPrincipal,
    @Query({ schema: activityQuery }) { after }: InferOutput<typeof activityQuery>,
  ): Promise<View> {
    const slice = { limit: EVENTS_PER_PAGE, ...(after !== undefined && { after }) };
    const rows = await this.work.single((tx) => this.events.ofUser(tx, caller.subject, slice));
    const last = rows.length === EVENTS_PER_PAGE ? rows.at(-1)?.id : undefined;
    return activityPage(this.navigation.for(caller, 'security'), rows.map(shownEvent), {
      after: last,
      isFirst: after === undefined,
    });
  }
}
