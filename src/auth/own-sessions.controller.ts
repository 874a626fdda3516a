import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ServiceError } from '../errors/service-error.js';
import { Caller } from '../principal/access.decorator.js';
import type { FullPrincipal } from '../principal/principal.js';
import type { Session } from '../token/session.js';
import { Sessions } from '../token/sessions.service.js';
import { instant, listMembers } from './answers.js';
import { pageShape } from './page.shape.js';
import { SessionEnd } from './session-end.service.js';

/** The caller's own sessions (http-api section 6); those of others are not found. */
@Controller('sessions')
export class OwnSessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionEnd,
  ) {}

  @Get()
  async list(
    @Caller() { subject, sid }: FullPrincipal,
    @Query({ schema: pageShape }) page: InferOutput<typeof pageShape>,
  ): Promise<object> {
    const sessions = await this.sessions.list(subject, page);
    return listMembers(sessions, page, (session) => members(session, sid));
  }

  @Delete(':id')
  @HttpCode(204)
  async end(@Caller() { subject }: FullPrincipal, @Param('id') id: string): Promise<void> {
    if (!(await this.sessionEnd.bySid(subject, id, 'revoked'))) throw new ServiceError('NOT_FOUND');
  }

  @Delete()
  @HttpCode(204)
  async endOthers(@Caller() { subject, sid }: FullPrincipal): Promise<void> {
    await this.sessionEnd.others(subject, sid);
  }
}

function members({ id, agent, ip, createdAt, lastUsedAt }: Session, current: string): object {
  return {
    id,
    device: agent ?? null,
    ip: ip ?? null,
    created: instant(createdAt),
    last_used: instant(lastUsedAt),
    current: id === current,
  };
}
