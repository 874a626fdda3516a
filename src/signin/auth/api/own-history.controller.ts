import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { EventRow } from '../../../identity/events/event-line.js';
import { SecurityEvents } from '../../../identity/events/security-events.service.js';
import { TrustedDeviceList } from '../../../identity/second-factor/trusted-device/trusted-device-list.service.js';
import type { TrustedDevice } from '../../../identity/second-factor/trusted-device/trusted-device.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import { amrOf } from '../../../kernel/principal/amr.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { toDate, toListBody } from './presenters.js';
import { devicesResponse, eventsResponse } from './history.schema.js';
import { LIST_DEVICES, LIST_EVENTS, REVOKE_DEVICE } from './auth.openapi.js';
import { paginationSchema } from '../../../platform/web/schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Security events of the caller's account, and its trusted devices (http-api section 6). */
@ApiTag('Signed-in user')
@RateLimited('self-service')
@Controller('me')
export class OwnHistoryController {
  constructor(
    private readonly events: SecurityEvents,
    private readonly trustedDevices: TrustedDeviceList,
    private readonly work: UnitOfWork,
  ) {}

  @Get('events')
  @Operation(LIST_EVENTS)
  @ResponseSchema(eventsResponse)
  async listEvents(
    @Caller() { subject }: FullPrincipal,
    @Query({ schema: paginationSchema }) page: InferOutput<typeof paginationSchema>,
  ): Promise<InferOutput<typeof eventsResponse>> {
    const rows = await this.work.single((tx) => this.events.ofUser(tx, subject, page));
    return toListBody(rows, page, toEventBody);
  }

  @Get('devices')
  @Operation(LIST_DEVICES)
  @ResponseSchema(devicesResponse)
  async listDevices(
    @Caller() { subject }: FullPrincipal,
    @Query({ schema: paginationSchema }) page: InferOutput<typeof paginationSchema>,
  ): Promise<InferOutput<typeof devicesResponse>> {
    return toListBody(await this.trustedDevices.list(subject, page), page, toDeviceBody);
  }

  @Delete('devices/:id')
  @HttpCode(204)
  @Operation(REVOKE_DEVICE)
  async revokeDevice(@Caller() { subject }: FullPrincipal, @Param('id') id: string): Promise<void> {
    if (!(await this.trustedDevices.revoke(subject, id))) throw new ServiceError('NOT_FOUND');
  }
}

function toEventBody({
  id,
  at,
  kind,
  result,
  ip,
  agent,
  amr,
  idp,
}: EventRow): InferOutput<typeof eventsResponse>['items'][number] {
  return {
    id,
    time: new Date(at),
    kind,
    result,
    ip,
    device: agent,
    amr: amr === null ? null : amrOf(amr),
    idp,
  };
}

type DeviceBody = InferOutput<typeof devicesResponse>['items'][number];

function toDeviceBody({ id, label, ip, createdAt, lastUsedAt, expiresAt }: TrustedDevice): DeviceBody {
  return {
    id,
    device: label ?? null,
    ip: ip ?? null,
    created: toDate(createdAt),
    last_used: toDate(lastUsedAt),
    expires: toDate(expiresAt),
  };
}
