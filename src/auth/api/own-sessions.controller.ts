import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ServiceError } from '../../errors/service-error.js';
import { Caller } from '../../principal/access.decorator.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { Answers } from '../../web/openapi/answers.decorator.js';
import { ApiGroup, Operation } from '../../web/openapi/operation.decorator.js';
import type { Session } from '../../session/session.js';
import { Sessions } from '../../session/sessions.service.js';
import { instant, listMembers } from './answers.js';
import { sessionsAnswer } from './history.schema.js';
import { LIST_SESSIONS, REVOKE_OTHERS, REVOKE_SESSION } from './auth.openapi.js';
import { pageShape } from './page.shape.js';
import { SessionEnd } from '../session-end.service.js';

/** The caller's own sessions (http-api section 6); those of others are not found. */
@ApiGroup('Signed-in user')
@Controller('sessions')
export class OwnSessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionEnd,
  ) {}

  @Get()
  @Operation(LIST_SESSIONS)
  @Answers(sessionsAnswer)
  async list(
    @Caller() { subject, sid }: FullPrincipal,
    @Query({ schema: pageShape }) page: InferOutput<typeof pageShape>,
  ): Promise<InferOutput<typeof sessionsAnswer>> {
    const sessions = await this.sessions.list(subject, page);
    return listMembers(sessions, page, (session) => members(session, sid));
  }

  @Delete(':id')
  @HttpCode(204)
  @Operation(REVOKE_SESSION)
  async end(@Caller() { subject }: FullPrincipal, @Param('id') id: string): Promise<void> {
    if (!(await this.sessionEnd.bySid(subject, id, 'revoked'))) throw new ServiceError('NOT_FOUND');
  }

  @Delete()
  @HttpCode(204)
  @Operation(REVOKE_OTHERS)
  async endOthers(@Caller() { subject, sid }: FullPrincipal): Promise<void> {
    await this.sessionEnd.others(subject, sid);
  }
}

type Members = InferOutput<typeof sessionsAnswer>['items'][number];

function members({ id, agent, ip, createdAt, lastUsedAt }: Session, current: string): Members {
  return {
    id,
    device: agent ?? null,
    ip: ip ?? null,
    created: instant(createdAt),
    last_used: instant(lastUsedAt),
    current: id === current,
  };
}
