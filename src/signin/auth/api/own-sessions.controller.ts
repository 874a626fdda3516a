import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import type { Session } from '../../../identity/session/session.js';
import { Sessions } from '../../../identity/session/sessions.service.js';
import { toDate, toListBody } from './presenters.js';
import { sessionsResponse } from './history.schema.js';
import { LIST_SESSIONS, REVOKE_OTHERS, REVOKE_SESSION } from './auth.openapi.js';
import { paginationSchema } from '../../../platform/web/schema.js';
import { SessionRevocation } from '../session-revocation.service.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** The caller's own sessions (http-api section 6); other sessions are not found. */
@ApiTag('Signed-in user')
@RateLimited('self-service')
@Controller('sessions')
export class OwnSessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly sessionEnd: SessionRevocation,
  ) {}

  @Get()
  @Operation(LIST_SESSIONS)
  @ResponseSchema(sessionsResponse)
  async list(
    @Caller() { subject, sid }: FullPrincipal,
    @Query({ schema: paginationSchema }) page: InferOutput<typeof paginationSchema>,
  ): Promise<InferOutput<typeof sessionsResponse>> {
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

type SessionBody = InferOutput<typeof sessionsResponse>['items'][number];

function toSessionBody({ id, application, agent, ip, createdAt, lastUsedAt }: Session, current: string): SessionBody {
  return {
    id,
    ...withoutUndefined({ client: application?.clientId }),
    device: agent ?? null,
    ip: ip ?? null,
    created: toDate(createdAt),
    last_used: toDate(lastUsedAt),
    current: id === current,
  };
}
