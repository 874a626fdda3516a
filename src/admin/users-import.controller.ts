import { Controller, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Caller, RequireAmr, RequireAuthority } from '../principal/access.decorator.js';
import type { FullPrincipal } from '../principal/principal.js';
import { Answers } from '../web/openapi/answers.decorator.js';
import type { OperationFacts } from '../web/openapi/operation.js';
import { ApiGroup, Operation } from '../web/openapi/operation.decorator.js';
import { TakesUpload, Upload } from '../web/upload.decorator.js';
import type { IncomingUpload } from '../http/upload/uploads.js';
import { FILE_FIELD, UsersImport } from './users-import.service.js';
import { importQueryShape, importReportShape, importUploadShape } from './users-import.schema.js';

const IMPORT: OperationFacts = {
  summary: 'Make many users from a file',
  about:
    'Existing users are never changed: a row that names one is an error. With any error nobody is made, unless ' +
    '`partial` is `true`: then everybody is whose row is right.',
  refuses: ['CONFLICT'],
  takes: importUploadShape,
};

/** Many users at once, from a file (http-api section 7). */
@ApiGroup('Administration')
@Controller('admin/users')
@RequireAuthority('ROLE_ADMIN')
@RequireAmr('otp', { maxAge: 300 })
export class UsersImportController {
  constructor(private readonly usersImport: UsersImport) {}

  @Post('import')
  @HttpCode(200)
  @TakesUpload()
  @Operation(IMPORT)
  @Answers(importReportShape)
  async importUsers(
    @Caller() { subject }: FullPrincipal,
    @Query({ schema: importQueryShape }) { partial }: InferOutput<typeof importQueryShape>,
    @Upload() upload: IncomingUpload,
  ): Promise<InferOutput<typeof importReportShape>> {
    const options = { actor: subject, isPartial: partial === 'true' };
    const report = await upload.use(FILE_FIELD, (file) => this.usersImport.run(file, options));
    return { created: report.created, errors: [...report.errors], errors_total: report.errorsTotal };
  }
}
