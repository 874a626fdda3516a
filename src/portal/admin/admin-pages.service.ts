import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../admin/account-directory.service.js';
import { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import { type Actor, actorOf } from '../../admin/act.js';
import { ADMIN_PAGES, adminUserPath } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import type { ErrorCode } from '../../errors/error-code.js';
import { ServiceError } from '../../errors/service-error.js';
import type { PagePart, View } from '../../http/page/view.js';
import type { Messages } from '../../messages/messages.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { shownEvent } from '../account/activity-page.js';
import { rerenderOnError } from '../form/form-errors.js';
import type { FormFields } from '../form/forms.js';
import { PageForms } from '../form/page-forms.service.js';
import type { NavigationFields } from '../home/navigation.js';
import { Navigation } from '../home/navigation.service.js';
import type { UserAct, UserDone } from './admin.schema.js';
import { type GivenAct, type UserAccess, userPage } from './admin-user-page.js';

/** Errors that the page with the form shows. */
export const ACT_ERRORS: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'CONFLICT', 'ACCESS_DENIED']);

interface UserPageState {
  readonly done?: UserDone;
  readonly alert?: PagePart;
  readonly given?: GivenAct;
}

const SLICE = { limit: 30 };

/** Collects what the page about a user shows, for administrators and the help desk. */
@Injectable()
export class AdminPages {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly provisioning: AccountProvisioning,
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
  ) {}

  /** @throws ServiceError `NOT_FOUND` */
  async user(caller: FullPrincipal, subject: string, more: UserPageState = {}): Promise<View> {
    const actor = actorOf(caller);
    const { account, factors } = await this.directory.find(subject);
    const access = await this.accessTo(subject, actor);
    return userPage({
      navigation: this.navigationFor(caller),
      account,
      factors,
      isAdministrator: actor.authority === 'administrator',
      isOneself: subject === caller.subject,
      canInvite: this.provisioning.canMailInvitations,
      formFor: (act) => this.formFor(caller, subject, act),
      ...withoutUndefined({ access, ...more }),
    });
  }

  /** Runs an act of the page about a user; an error that the user can correct shows that page and the input again. */
  act<T>(caller: FullPrincipal, subject: string, given: GivenAct, step: () => Promise<T>): Promise<T> {
    return rerenderOnError(ACT_ERRORS, (alert) => this.user(caller, subject, { alert, given }), step, adminErrorText);
  }

  navigationFor(caller: FullPrincipal): NavigationFields {
    return this.navigation.for(caller, 'administration');
  }

  formFor(caller: FullPrincipal, subject: string, act: UserAct): FormFields {
    return this.forms.forCaller(adminUserPath(subject, act), caller);
  }

  /** The path of the page about a user. */
  pathOf(subject: string): string {
    return this.forms.contextPath + adminUserPath(subject);
  }

  /** Where the browser goes after an act. */
  userUrl(subject: string, done: UserDone): { readonly url: string } {
    return { url: `${this.pathOf(subject)}?done=${done}` };
  }

  /** The list of users, after one was deleted. */
  usersUrl(deleted: string): { readonly url: string } {
    return { url: `${this.forms.contextPath}${ADMIN_PAGES.users}?deleted=${encodeURIComponent(deleted)}` };
  }

  /** Undefined for the help desk on a protected account. */
  private async accessTo(subject: string, actor: Actor): Promise<UserAccess | undefined> {
    try {
      const [sessions, devices, events] = await Promise.all([
        this.directory.sessions(subject, SLICE, actor),
        this.directory.devices(subject, SLICE, actor),
        this.directory.events({ user: subject, ...SLICE }, actor),
      ]);
      return {
        sessions: sessions.map(({ id, agent, ip, lastUsedAt }) => ({ id, agent, ip, lastUsedAt, isCurrent: false })),
        devices: devices.map(({ id, label: agent, lastUsedAt, expiresAt }) => ({ id, agent, lastUsedAt, expiresAt })),
        events: events.map(shownEvent),
      };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'ACCESS_DENIED') return undefined;
      throw error;
    }
  }
}

/** The text of the first error of an act, for its form. */
export function adminErrorText({ code, facts }: ServiceError): ((t: Messages) => string) | undefined {
  if (code === 'CONFLICT') return ({ admin }) => admin.faults[facts.reason ?? ''] ?? admin.faults['conflict'] ?? '';
  if (code !== 'VALIDATION_FAILED') return undefined;
  const field = facts.errors?.[0]?.field.split('.')[0] ?? '';
  return ({ admin, errors }) => admin.faults[field] ?? errors.VALIDATION_FAILED;
}
