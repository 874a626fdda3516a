import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { RecoveryModule } from '../../signin/recovery/recovery.module.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { AbandonedImports } from './abandoned-imports.task.js';
import { AccessCodeIssue } from './access-code-issue.service.js';
import { AccountAccess } from './account-access.service.js';
import { AccountActivity } from './account-activity.service.js';
import { AccountAdministration } from './account-administration.service.js';
import { AccountDirectory } from './account-directory.service.js';
import { AccountSearch } from './account-search.service.js';
import { AccountProvisioning } from './account-provisioning.service.js';
import { AdminActs } from './admin-acts.service.js';
import { BulkProvisioning } from './bulk-provisioning.service.js';
import { EventExports } from './event-exports.service.js';
import { PersonExport } from './person-export.service.js';
import { KnownRoles } from './known-roles.service.js';
import { ProtectedRoles } from './protected-roles.service.js';
import { StaffAdmission } from './staff-admission.service.js';

/** The use cases of administrators, without an interface: the command line and `AdminApiModule` are their callers. */
@Module({
  imports: [AccountModule, SessionModule, MfaModule, RecoveryModule, EventsModule, MailModule, TasksModule],
  providers: [
    ...[AbandonedImports, AccessCodeIssue, AccountAccess, AccountActivity, AccountAdministration, AccountDirectory],
    ...[
      AccountProvisioning,
      AccountSearch,
      AdminActs,
      BulkProvisioning,
      EventExports,
      PersonExport,
      ProtectedRoles,
      KnownRoles,
      StaffAdmission,
    ],
  ],
  exports: [
    AccessCodeIssue,
    AccountActivity,
    AccountAdministration,
    AccountDirectory,
    AccountProvisioning,
    AccountSearch,
    AdminActs,
    BulkProvisioning,
    EventExports,
    KnownRoles,
    PersonExport,
    StaffAdmission,
  ],
})
export class AdminModule {}
