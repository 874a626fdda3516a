import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { toDate, toListBodyBy } from '../../../signin/auth/api/presenters.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import type { AccountDraft } from '../../../identity/account/account-drafts.service.js';
import { AccountAdministration, type AccountUpdate } from '../account-administration.service.js';
import { AccountDirectory } from '../account-directory.service.js';
import { AccountSearch } from '../account-search.service.js';
import { AccountProvisioning } from '../account-provisioning.service.js';
import { actorOf } from '../act.js';
import * as describe from './admin.openapi.js';
import { toUserBody, toUserDetailsBody } from './presenters.js';
import {
  actSchema,
  newUserSchema,
  passwordResponse,
  resetSchema,
  userChangeSchema,
  userResponse,
  usersQuerySchema,
  usersResponse,
} from './users.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

type ActBody = InferOutput<typeof actSchema>;

/** Users, for administrators; the routes that name `ROLE_HELPDESK` also for the help desk (http-api section 7). */
@ApiTag('Administration', describe.ADMINISTRATION)
@RateLimited('administration')
@Controller('admin/users')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class UsersController {
  constructor(
    private readonly search: AccountSearch,
    private readonly directory: AccountDirectory,
    private readonly administration: AccountAdministration,
    private readonly provisioning: AccountProvisioning,
  ) {}

  @Get()
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.LIST_USERS)
  @ResponseSchema(usersResponse)
  async list(
    @Query({ schema: usersQuerySchema }) query: InferOutput<typeof usersQuerySchema>,
  ): Promise<InferOutput<typeof usersResponse>> {
    const { inactive_days: inactiveDays, ...page } = query;
    const found = await this.search.page({ ...page, inactiveDays });
    return toListBodyBy(found, query, toUserBody, ({ loginId }) => loginId);
  }

  @Post()
  @Operation(describe.CREATE_USER)
  @ResponseSchema(userResponse)
  async create(
    @Caller() caller: FullPrincipal,
    @Body({ schema: newUserSchema })
    { reason, ticket, ...draft }: InferOutput<typeof newUserSchema>,
  ): Promise<InferOutput<typeof userResponse>> {
    const act = { ...actorOf(caller), reason, ticket };
    const account = await this.provisioning.createFromDraft(draftOf(draft), act);
    return this.show(caller, account.id);
  }

  @Get(':sub')
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.SHOW_USER)
  @ResponseSchema(userResponse)
  async show(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
  ): Promise<InferOutput<typeof userResponse>> {
    return toUserDetailsBody(await this.directory.view(subject, actorOf(caller)));
  }

  @Patch(':sub')
  @Operation(describe.CHANGE_USER)
  @ResponseSchema(userResponse)
  async change(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: userChangeSchema })
    { reason, ticket, ...change }: InferOutput<typeof userChangeSchema>,
  ): Promise<InferOutput<typeof userResponse>> {
    await this.administration.update(subject, updateOf(change), { ...actorOf(caller), reason, ticket });
    return this.show(caller, subject);
  }

  @Delete(':sub')
  @HttpCode(204)
  @Operation(describe.DELETE_USER)
  async delete(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.delete(subject, { ...actorOf(caller), ...justification });
  }

  @Post(':sub/unlock')
  @HttpCode(204)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.UNLOCK_USER)
  async unlock(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.unlock(subject, { ...actorOf(caller), ...justification });
  }

  @Post(':sub/mfa/reset')
  @HttpCode(204)
  @RequireAuthority('ROLE_ADMIN', 'ROLE_HELPDESK')
  @Operation(describe.RESET_MFA)
  async resetMfa(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: resetSchema }) justification: ActBody,
  ): Promise<void> {
    await this.administration.resetMfa(subject, { ...actorOf(caller), ...justification });
  }

  @Post(':sub/password')
  @HttpCode(200)
  @Operation(describe.RESET_PASSWORD)
  @ResponseSchema(passwordResponse)
  async resetPassword(
    @Caller() caller: FullPrincipal,
    @Param('sub') subject: string,
    @Body({ schema: actSchema }) justification: ActBody,
  ): Promise<InferOutput<typeof passwordResponse>> {
    const act = { ...actorOf(caller), ...justification };
    const { generated = '', expiresAt } = await this.administration.resetPassword(subject, undefined, act);
    return { password: generated, expires: toDate(expiresAt) };
  }
}

type DraftBody = Omit<InferOutput<typeof newUserSchema>, 'reason' | 'ticket'>;
type ChangeBody = Omit<InferOutput<typeof userChangeSchema>, 'reason' | 'ticket'>;

function draftOf({ id, pw, name, email_verified, mfa_required, ...draft }: DraftBody): AccountDraft {
  return {
    ...draft,
    loginId: id,
    password: pw,
    displayName: name,
    emailVerified: email_verified,
    mfaRequired: mfa_required,
  };
}

function updateOf({ name, email_verified, mfa_required, ...change }: ChangeBody): AccountUpdate {
  return withoutUndefined({
    ...change,
    displayName: name,
    emailVerified: email_verified,
    mfaRequired: mfa_required,
  });
}
