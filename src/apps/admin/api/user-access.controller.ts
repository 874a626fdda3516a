import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { devicesResponse } from '../../../signin/auth/api/history.schema.js';
import { toAccessCodeBody, toListBody } from '../../../signin/auth/api/presenters.js';
import { accessCodeResponse } from '../../../signin/auth/api/responses.schema.js';
import { CallerPermit } from '../../../signin/auth/guards/permit.decorator.js';
import type { Permit } from '../../../signin/auth/guards/permit.js';
import { Caller, OwnSiteOnly, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { paginationSchema } from '../../../platform/web/schema.js';
import { AccessCodeIssue } from '../access-code-issue.service.js';
import { AccountAdministration } from '../account-administration.service.js';
import { AccountActivity } from '../account-activity.service.js';
import { actorOf } from '../act.js';
import * as describe from './admin.openapi.js';
import { ExportStreams } from '../export-streams.service.js';
import { PersonExport } from '../person-export.service.js';
import { toDeviceBody, toUserSessionBody } from './presenters.js';
import { actSchema, personResponse, resetSchema, userSessionsResponse } from './users.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

type Page = InferOutput<typeof paginationSchema>;
type ActBody = InferOutput<typeof actSchema>;

/** Authenticators, sessions, trusted devices and stored data of a user (http-api section 7). */
@ApiTag('Administration')
@RateLimited('administration')
@Controller('admin/users/:sub')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class UserAccessController {
  constructor(
    private readonly activity: AccountActivity,
    private readonly administration: AccountAdministration,
    private readonly personExport: PersonExport,
    private readonly streams: ExportStreams,
    private readonly accessCodes: AccessCodeIssue,
  ) {}

  @Delete('authenticators/:id')
  @HttpCode(204)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.REMOVE_USER_AUTHENTICATOR)
  async removeAuthenticator(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Param('id') id: string,
    @Body({ schema: resetSchema }) justification: InferOutput<typeof resetSchema>,
  ): Promise<void> {
    await this.administration.removeAuthenticator(subject, id, { ...actorOf(caller), ...justification });
  }

  @Post('access-code')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.ISSUE_ACCESS_CODE)
  @ResponseSchema(accessCodeResponse)
  async issueAccessCode(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: resetSchema }) justification: InferOutput<typeof resetSchema>,
  ): Promise<InferOutput<typeof accessCodeResponse>> {
    return toAccessCodeBody(await this.accessCodes.issue(subject, { ...actorOf(caller), ...justification }));
  }

  @Get('sessions')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.LIST_USER_SESSIONS)
  @ResponseSchema(userSessionsResponse)
  async listSessions(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Query({ schema: paginationSchema }) page: Page,
  ): Promise<InferOutput<typeof userSessionsResponse>> {
    return toListBody(await this.activity.sessions(subject, page, actorOf(caller)), page, toUserSessionBody);
  }

  @Delete('sessions')
  @HttpCode(204)
  @Operation(describe.END_USER_SESSIONS)
  async endSessions(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.endSessions(subject, { ...actorOf(caller), ...justification });
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Operation(describe.END_USER_SESSION)
  async endSession(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Param('id') id: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.endSession(subject, id, { ...actorOf(caller), ...justification });
  }

  @Get('devices')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.LIST_USER_DEVICES)
  @ResponseSchema(devicesResponse)
  async listDevices(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Query({ schema: paginationSchema }) page: Page,
  ): Promise<InferOutput<typeof devicesResponse>> {
    return toListBody(await this.activity.devices(subject, page, actorOf(caller)), page, toDeviceBody);
  }

  @Delete('devices/:id')
  @HttpCode(204)
  @Operation(describe.END_USER_TRUST)
  async endTrust(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Param('id') id: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.endTrust(subject, id, { ...actorOf(caller), ...justification });
  }

  @Get('export')
  @OwnSiteOnly()
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation(describe.EXPORT_USER)
  @ResponseSchema(personResponse)
  async export(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @CallerPermit() permit: Permit,
  ): Promise<StreamableFile> {
    const stream = await this.streams.stream(permit, () =>
      this.personExport.export(subject, { ...actorOf(caller), permit }),
    );
    return new StreamableFile(stream, { disposition: `attachment; filename="user-${subject}.json"` });
  }
}
