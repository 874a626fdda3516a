import { createReadStream } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { ImportFile, importFormat } from '../../identity/account/import/import-file.js';
import { ImportFileRejection, type ImportReport, type ImportRow } from '../../identity/account/import/import-row.js';
import type { Permit } from '../../signin/auth/guards/permit.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { UploadedFile } from '../../platform/http/upload/uploads.js';
import type { Act } from './act.js';
import { BulkProvisioning } from './bulk-provisioning.service.js';

/** Name of the part that holds the file. */
export const FILE_FIELD = 'file';

/** The options of an import, and the permit of its caller. */
interface ImportRequest {
  readonly isPartial: boolean;
  readonly isPreview: boolean;
  readonly permit: Permit;
}

/** Creates the users in an uploaded file, or reports what would be created. */
@Injectable()
export class UsersImport {
  constructor(private readonly provisioning: BulkProvisioning) {}

  /** @throws ServiceError `VALIDATION_FAILED` if the file is not an import file: no user is created then; `UNAVAILABLE` */
  async run(
    { path, name, mediaType }: UploadedFile,
    { isPartial, isPreview, permit, ...act }: Act & ImportRequest,
  ): Promise<ImportReport> {
    const format = importFormat(name, mediaType);
    if (!format) throw fileRejection('type');
    const file = new ImportFile(() => createReadStream(path), format);
    try {
      if (isPreview) return await this.provisioning.preview(file.rows(), act);
      // Reads the whole file first: otherwise the users before a syntax error would be created.
      if (isPartial) await readThrough(file.rows());
      return await this.provisioning.import(file, { ...act, isPartial, permit });
    } catch (error) {
      if (error instanceof ImportFileRejection) throw fileRejection('format', error);
      throw error;
    }
  }
}

/** The field is `file`, or `file.17` for an error in line 17. */
function fileRejection(code: string, cause?: ImportFileRejection): ServiceError {
  const field = cause?.line === undefined ? FILE_FIELD : `${FILE_FIELD}.${cause.line}`;
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field, code }], cause });
}

async function readThrough(rows: AsyncIterable<ImportRow>): Promise<void> {
  const iterator = rows[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
