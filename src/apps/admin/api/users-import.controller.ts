import { Controller, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { CallerPermit } from '../../../signin/auth/guards/permit.decorator.js';
import type { Permit } from '../../../signin/auth/guards/permit.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { OperationOptions } from '../../../platform/web/openapi/operation.js';
import { ApiTag, Operation, ResponseSchema, UploadBody, Upload } from '../../../platform/web/route.decorator.js';
import type { IncomingUpload } from '../../../platform/http/upload/uploads.js';
import { actorOf } from '../act.js';
import { FILE_FIELD, UsersImport } from '../users-import.service.js';
import { importQuerySchema, importReportSchema, importUploadSchema } from './users-import.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const IMPORT: OperationOptions = {
  summary: 'Create many users from a file',
  description:
    'Existing users are never changed: a row that names one is an error. If any row has an error, no user is created, ' +
    'unless `partial` is `true`: then the valid rows are imported. With `preview=true`, nothing is stored, and `valid` is ' +
    'the number of rows that an import would create.',
  errors: ['CONFLICT'],
  body: importUploadSchema,
};

/** Creates many users from a file (http-api section 7). */
@ApiTag('Administration')
@RateLimited('administration')
@Controller('admin/users')
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class UsersImportController {
  constructor(private readonly usersImport: UsersImport) {}

  @Post('import')
  @HttpCode(200)
  @UploadBody()
  @Operation(IMPORT)
  @ResponseSchema(importReportSchema)
  async importUsers(
    @Caller() caller: FullPrincipal,
    @Query({ schema: importQuerySchema }) { partial, preview }: InferOutput<typeof importQuerySchema>,
    @CallerPermit() permit: Permit,
    @Upload() upload: IncomingUpload,
  ): Promise<InferOutput<typeof importReportSchema>> {
    const options = { ...actorOf(caller), permit, isPartial: partial === 'true', isPreview: preview === 'true' };
    const report = await upload.use(FILE_FIELD, permit, (file) => this.usersImport.run(file, options));
    return {
      created: report.created,
      errors: [...report.errors],
      errors_total: report.errorsTotal,
      ...withoutUndefined({ valid: report.valid }),
    };
  }
}
