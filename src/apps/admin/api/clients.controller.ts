import { Controller, Get } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { ClientDirectory } from '../client-directory.service.js';
import { LIST_CLIENTS } from './admin.openapi.js';
import { clientsResponse } from './clients.schema.js';
import { toClientBody } from './presenters.js';

/** The configured applications and resource servers (http-api section 7). */
@ApiTag('Administration')
@RateLimited('administration')
@Controller('admin/clients')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class ClientsController {
  constructor(private readonly directory: ClientDirectory) {}

  @Get()
  @Operation(LIST_CLIENTS)
  @ResponseSchema(clientsResponse)
  async list(): Promise<InferOutput<typeof clientsResponse>> {
    return { items: (await this.directory.list()).map(toClientBody) };
  }
}
