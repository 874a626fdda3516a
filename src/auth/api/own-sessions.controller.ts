import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { ServiceError } from '../../errors/service-error.js';
import { Caller } from '../../principal/access.decorator.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { Answers } from '../../web/openapi/answers.decorator.js';
import { ApiGroup, Operation } from '../../web/openapi/operation.decorator.js';
import type { Session } from '../../session/session.js';
import { Sessions } from '../../session/sessions.service.js';
import { toDate, toListBody } from './presenters.js';
import { sessionsAnswer } from './history.schema.js';
import { LIST_SESSIONS, REVOKE_OTHERS, REVOKE_SESSION } from './auth.openapi.js';
import { pageShape } from './page.shape.js';
import { SessionRevocation } from '../session-revocation.service.js';

/** The caller's own sessions (http-api section 6); those of others are not found. */
@ApiGroup('Signed-in user')
@Controller('sessions')
export class OwnSessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionRevocation,
  ) {}

  @Get()
  @Operation(LIST_SESSIONS)
  @Answers(sessionsAnswer)
  async list(
    @Caller() { subject, sid }: FullPrincipal,
    @Query({ schema: pageShape }) page: InferOutput<typeof pageShape>,
  ): Promise<InferOutput<typeof sessionsAnswer>> {
    const sessions = await this.sessions.list(subject, page);
    return toListBody(sessions, page, (session) => toSessionBody(session, sid));
  }

  @Delete(':id')
  @HttpCode(204)
  @Operation(REVOKE_SESSION)
  async end(@Caller() { subject }: FullPrincipal, @Param('id') id: string): Promise<void> {
    if (!(await this.sessionEnd.revoke(subject, id, 'revoked'))) throw new ServiceError('NOT_FOUND');
  }

  @Delete()
  @HttpCode(204)
  @Operation(REVOKE_OTHERS)
  async endOthers(@Caller() { subject, sid }: FullPrincipal): Promise<void> {
    await this.sessionEnd.revokeOthers(subject, sid);
  }
}

type SessionBody = InferOutput<typeof sessionsAnswer>['items'][number];

function toSessionBody({ id, agent, ip, createdAt, lastUsedAt }: Session, current: string): SessionBody {
  return {
    id,
    device: agent ?? null,
    ip: ip ?? null,
    created: toDate(createdAt),
    last_used: toDate(lastUsedAt),
    current: id === current,
  };
}
