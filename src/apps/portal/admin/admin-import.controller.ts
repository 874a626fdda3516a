import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { actorOf } from '../../admin/act.js';
import { KnownRoles } from '../../admin/known-roles.service.js';
import { FILE_FIELD, UsersImport } from '../../admin/users-import.service.js';
import { CallerPermit } from '../../../signin/auth/guards/permit.decorator.js';
import type { Permit } from '../../../signin/auth/guards/permit.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import type { View } from '../../../platform/http/page/view.js';
import type { IncomingUpload } from '../../../platform/http/upload/uploads.js';
import { Caller } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { Operation, Upload, UploadBody } from '../../../platform/web/route.decorator.js';
import { rerenderOnError } from '../form/form-errors.js';
import { AdminFormPages } from '../form/form-pages.decorator.js';
import { PageForms } from '../form/page-forms.service.js';
import { AdminPage } from '../page.decorator.js';
import { importPage } from './admin-import-page.js';
import { ACT_ERRORS, adminErrorText, AdminPages } from './admin-pages.service.js';
import { IMPORT_BY_FORM, SHOW_IMPORT } from './admin.openapi.js';
import { importForm, importQuery } from './admin.schema.js';

/** The import of users from a file, with a preview. */
@AdminFormPages()
@Controller(ADMIN_PAGES.import)
export class AdminImportController {
  constructor(
    private readonly usersImport: UsersImport,
    private readonly pages: AdminPages,
    private readonly forms: PageForms,
    private readonly knownRoles: KnownRoles,
  ) {}

  @Get()
  @AdminPage()
  @Operation(SHOW_IMPORT)
  show(@Caller() caller: FullPrincipal): View {
    return importPage(this.fields(caller));
  }

  @Post()
  @HttpCode(200)
  @AdminPage(ADMIN_PAGES.import)
  @UploadBody()
  @Operation({ ...IMPORT_BY_FORM, body: importForm })
  async importUsers(
    @Caller() caller: FullPrincipal,
    @Query({ schema: importQuery }) { mode }: InferOutput<typeof importQuery>,
    @CallerPermit() permit: Permit,
    @Upload() upload: IncomingUpload,
  ): Promise<View> {
    const options = { ...actorOf(caller), permit, isPartial: mode === 'partial', isPreview: mode === 'preview' };
    const report = await rerenderOnError(
      ACT_ERRORS,
      (alert) => importPage({ ...this.fields(caller), alert }),
      () => upload.use(FILE_FIELD, permit, (file) => this.usersImport.run(file, options)),
      adminErrorText,
    );
    const newRoles = await this.knownRoles.unknownOf(report.roles ?? []);
    return importPage({ ...this.fields(caller), result: { mode, report, newRoles } });
  }

  private fields(caller: FullPrincipal): Parameters<typeof importPage>[0] {
    return { navigation: this.pages.navigationFor(caller), form: this.forms.forCaller(ADMIN_PAGES.import, caller) };
  }
}
