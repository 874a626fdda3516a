import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { toListBody } from '../../../signin/auth/api/presenters.js';
import { CallerPermit } from '../../../signin/auth/guards/permit.decorator.js';
import type { Permit } from '../../../signin/auth/guards/permit.js';
import { EXPORT_MEDIA_TYPES } from '../../../identity/events/event-export.js';
import { Caller, OwnSiteOnly, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Res, type Reply } from '../../../platform/web/cookies.js';
import { ApiTag, MediaTypes, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { AccountActivity } from '../account-activity.service.js';
import { actorOf } from '../act.js';
import { EXPORT_EVENTS, LIST_ALL_EVENTS } from './admin.openapi.js';
import { EventExports } from '../event-exports.service.js';
import { ExportStreams } from '../export-streams.service.js';
import { toEventBody } from './presenters.js';
import { adminEventsResponse, eventsQuerySchema, exportQuerySchema } from './users.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Security events of all users (http-api section 7). */
@ApiTag('Administration')
@RateLimited('administration')
@Controller('admin/events')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class EventsController {
  constructor(
    private readonly activity: AccountActivity,
    private readonly exports: EventExports,
    private readonly streams: ExportStreams,
  ) {}

  @Get()
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(LIST_ALL_EVENTS)
  @ResponseSchema(adminEventsResponse)
  async list(
    @Caller() caller: FullPrincipal,
    @Query({ schema: eventsQuerySchema }) query: InferOutput<typeof eventsQuerySchema>,
  ): Promise<InferOutput<typeof adminEventsResponse>> {
    return toListBody(await this.activity.events(query, actorOf(caller)), query, toEventBody);
  }

  @Get('export')
  @OwnSiteOnly()
  @MediaTypes(...Object.values(EXPORT_MEDIA_TYPES))
  @Operation(EXPORT_EVENTS)
  async export(
    @Caller() caller: FullPrincipal,
    @Query({ schema: exportQuerySchema }) { format, ...filter }: InferOutput<typeof exportQuerySchema>,
    @CallerPermit() permit: Permit,
    @Res() reply: Reply,
  ): Promise<StreamableFile> {
    const stream = await this.streams.stream(permit, () =>
      this.exports.export(filter, format, { ...actorOf(caller), permit }),
    );
    if (format === 'csv') reply.setHeader('csv-formula-escape', 'apostrophe');
    return new StreamableFile(stream, {
      type: `${EXPORT_MEDIA_TYPES[format]}; charset=utf-8`,
      disposition: `attachment; filename="events.${format}"`,
    });
  }
}
