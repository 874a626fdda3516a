import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ServiceError } from '../errors/service-error.js';
import type { EventRow } from '../events/event-row.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type TrustedDevice, TrustedDevices } from '../mfa/trusted-devices.service.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { Caller } from '../principal/access.decorator.js';
import type { FullPrincipal } from '../principal/principal.js';
import { instant, listMembers } from './answers.js';
import { pageShape } from './page.shape.js';

/** What happened to the caller's account, and the devices it trusts (http-api section 6). */
@Controller('me')
export class OwnHistoryController {
  constructor(
    private readonly events: SecurityEvents,
    private readonly trustedDevices: TrustedDevices,
    private readonly work: UnitOfWork,
  ) {}

  @Get('events')
  async listEvents(
    @Caller() { subject }: FullPrincipal,
    @Query({ schema: pageShape }) page: InferOutput<typeof pageShape>,
  ): Promise<object> {
    const rows = await this.work.single((tx) => this.events.ofUser(tx, subject, page));
    return listMembers(rows, page, eventMembers);
  }

  @Get('devices')
  async listDevices(
    @Caller() { subject }: FullPrincipal,
    @Query({ schema: pageShape }) page: InferOutput<typeof pageShape>,
  ): Promise<object> {
    return listMembers(await this.trustedDevices.list(subject, page), page, deviceMembers);
  }

  @Delete('devices/:id')
  @HttpCode(204)
  async revokeDevice(@Caller() { subject }: FullPrincipal, @Param('id') id: string): Promise<void> {
    if (!(await this.trustedDevices.revoke(subject, id))) throw new ServiceError('NOT_FOUND');
  }
}

function eventMembers({ id, at, kind, result, ip, agent, amr, idp }: EventRow): object {
  return {
    id,
    time: new Date(at),
    kind,
    result,
    ip,
    device: agent,
    amr: amr === null ? null : amr.split(' '),
    idp,
  };
}

function deviceMembers({ id, label, ip, createdAt, lastUsedAt, expiresAt }: TrustedDevice): object {
  return {
    id,
    device: label ?? null,
    ip: ip ?? null,
    created: instant(createdAt),
    last_used: instant(lastUsedAt),
    expires: instant(expiresAt),
  };
}
