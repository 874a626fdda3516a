import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { toDate } from '../../../signin/auth/api/presenters.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { actorOf } from '../act.js';
import { ROTATE_KEYS } from './admin.openapi.js';
import { KeyAdministration } from '../key-administration.service.js';
import { actSchema, rotatedKeysResponse } from './users.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

/** Signing keys (http-api section 7). */
@ApiTag('Administration')
@RateLimited('administration')
@Controller('admin/keys')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class KeysController {
  constructor(private readonly keys: KeyAdministration) {}

  @Post('rotate')
  @HttpCode(200)
  @Operation(ROTATE_KEYS)
  @ResponseSchema(rotatedKeysResponse)
  async rotate(
    @Caller() caller: FullPrincipal,
    @Body({ schema: actSchema }) justification: InferOutput<typeof actSchema>,
  ): Promise<InferOutput<typeof rotatedKeysResponse>> {
    const rotated = await this.keys.rotate({ ...actorOf(caller), ...justification });
    return {
      keys: rotated.map(({ purpose, kid, signsFrom, isNew }) => ({
        purpose,
        kid,
        signs_from: toDate(signsFrom),
        is_new: isNew,
      })),
    };
  }
}
