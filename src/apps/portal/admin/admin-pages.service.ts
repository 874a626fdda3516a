import { Injectable } from '@nestjs/common';
import { KnownRoles } from '../../admin/known-roles.service.js';
import { ADMIN_PAGES, adminUserPath } from '../../../signin/auth/page-paths.js';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Messages } from '../../../signin/messages/messages.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { FormFields } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import type { NavigationFields } from '../home/navigation.js';
import { Navigation } from '../home/navigation.service.js';
import type { UserDone } from './admin.schema.js';

/** Rejections because of the current state of the account. */
const CONFLICTS: ReadonlySet<ErrorCode> = new Set(['CONFLICT', 'MFA_STATE_CONFLICT']);
/** Errors that are shown on the page with the form. */
export const ACT_ERRORS: ReadonlySet<ErrorCode> = new Set([...CONFLICTS, 'VALIDATION_FAILED', 'ACCESS_DENIED']);

/** Target of the redirect after a form. */
export interface SeeOther {
  readonly url: string;
}

/** Navigation, forms and addresses of the pages of administrators and the help desk. */
@Injectable()
export class AdminPages {
  constructor(
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    /** The roles that forms offer. */
    readonly roles: KnownRoles,
  ) {}

  navigationFor(caller: FullPrincipal): NavigationFields {
    return this.navigation.for(caller, 'administration');
  }

  /** Fields of a form about a user; `part` is the path segment it is sent to. */
  formFor(caller: FullPrincipal, subject: string, part: string): FormFields {
    return this.forms.forCaller(adminUserPath(subject, part), caller);
  }

  /** The path of a page about a user. */
  pathOf(subject: string, part = ''): string {
    return this.forms.contextPath + adminUserPath(subject, part);
  }

  /** Redirects to a page of the user, which confirms the act. */
  userUrl(subject: string, done: UserDone, part = ''): SeeOther {
    return { url: `${this.pathOf(subject, part)}?done=${done}` };
  }

  /** Redirects to the list of users, which confirms the deletion. */
  usersUrl(deleted: string): SeeOther {
    return { url: `${this.forms.contextPath}${ADMIN_PAGES.users}?deleted=${encodeURIComponent(deleted)}` };
  }
}

/** The text of the first error of an act; undefined for an error that is neither a conflict nor invalid input. */
export function adminErrorText({ code, facts }: ServiceError): ((t: Messages) => string) | undefined {
  if (CONFLICTS.has(code)) return ({ admin }) => admin.problems[facts.reason ?? ''] ?? admin.problems['conflict'] ?? '';
  if (code !== 'VALIDATION_FAILED') return undefined;
  if (facts.errors?.[0]?.code === 'new') return ({ admin }) => admin.unknownRoles;
  const field = facts.errors?.[0]?.field.split('.')[0] ?? '';
  return ({ admin, errors }) => admin.problems[field] ?? errors.VALIDATION_FAILED;
}
