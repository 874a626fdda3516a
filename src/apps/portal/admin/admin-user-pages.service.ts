import { newRolesIn } from '../../admin/known-roles.service.js';
import { Injectable } from '@nestjs/common';
import type { Account } from '../../../identity/account/account.js';
import { AccountActivity } from '../../admin/account-activity.service.js';
import { AccountDirectory } from '../../admin/account-directory.service.js';
import { AccountProvisioning } from '../../admin/account-provisioning.service.js';
import { type Act, actorOf, validJustification } from '../../admin/act.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { View } from '../../../platform/http/page/view.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { MfaPolicy } from '../../../identity/second-factor/mfa-policy.service.js';
import { rerenderOnError } from '../form/form-errors.js';
import { shownEvent } from '../account/activity-page.js';
import { userAccessPage } from './admin-access-page.js';
import { type ActFields, actPage, type TypedAct } from './admin-act-page.js';
import { userActivityPage } from './admin-activity-page.js';
import { ACT_ERRORS, adminErrorText, AdminPages } from './admin-pages.service.js';
import type { UserFrameFields } from './admin-user-frame.js';
import { userPage } from './admin-user-page.js';
import type { UserDone } from './admin.schema.js';
import { actRule, type UserAct } from './user-acts.js';

const MAX_BROWSERS = 30;
const EVENTS_PER_PAGE = 10;

/** The target of an act and, after an error, the input of its form. */
interface ActRequest extends Pick<ActFields, 'alert' | 'typed' | 'newRoles'> {
  readonly authenticator?: string | undefined;
}

/** Collects what the pages about a user show, for administrators and the help desk. */
@Injectable()
export class AdminUserPages {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly accountActivity: AccountActivity,
    private readonly provisioning: AccountProvisioning,
    private readonly policy: MfaPolicy,
    private readonly pages: AdminPages,
  ) {}

  /** @throws ServiceError `NOT_FOUND` */
  async overview(caller: FullPrincipal, subject: string, done?: UserDone): Promise<View> {
    const { account, ...factors } = await this.directory.view(subject, actorOf(caller));
    return userPage({
      ...this.frame(caller, account, done),
      ...factors,
      isOneself: subject === caller.subject,
      canInvite: this.provisioning.canMailInvitations,
      arePasskeysUsable: this.policy.arePasskeysUsable,
      needsAccessCode: this.policy.demandsAccessCode(account),
    });
  }

  /** @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED` */
  async access(caller: FullPrincipal, subject: string, done?: UserDone): Promise<View> {
    const actor = actorOf(caller);
    const { account } = await this.directory.find(subject);
    const [sessions, devices] = await Promise.all([
      this.accountActivity.sessions(subject, { limit: MAX_BROWSERS }, actor),
      this.accountActivity.devices(subject, { limit: MAX_BROWSERS }, actor),
    ]);
    return userAccessPage({
      ...this.frame(caller, account, done),
      sessions: sessions.map(({ id, application, agent, ip, lastUsedAt }) => ({
        ...withoutUndefined({ application: application?.clientId }),
        ...{ id, agent, ip, lastUsedAt, isCurrent: false },
      })),
      devices: devices.map(({ id, label: agent, lastUsedAt, expiresAt }) => ({ id, agent, lastUsedAt, expiresAt })),
    });
  }

  /**
   * The page with the security events that follow the event `after`.
   * @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED`
   */
  async activity(caller: FullPrincipal, subject: string, after?: string): Promise<View> {
    const { account } = await this.directory.find(subject);
    const filter = { user: subject, limit: EVENTS_PER_PAGE, ...withoutUndefined({ after }) };
    const events = await this.accountActivity.events(filter, actorOf(caller));
    return userActivityPage({
      ...this.frame(caller, account),
      events: events.map(shownEvent),
      after: events.length === EVENTS_PER_PAGE ? events.at(-1)?.id : undefined,
      isFirst: after === undefined,
    });
  }

  /**
   * The page that asks for an act; `authenticator` is the id of the authenticator to remove.
   * @throws ServiceError `NOT_FOUND`; `ACCESS_DENIED`
   */
  async act(
    caller: FullPrincipal,
    subject: string,
    act: UserAct,
    { authenticator: id, ...failed }: ActRequest = {},
  ): Promise<View> {
    const { account, authenticators } = await this.directory.view(subject, actorOf(caller));
    const { isAdministrator, isOpen, navigation, formFor } = this.frame(caller, account);
    if (!isAdministrator && !(actRule(act).byHelpDesk && isOpen)) {
      throw new ServiceError('ACCESS_DENIED', { reason: 'help desk' });
    }
    const authenticator = act === 'remove-authenticator' ? authenticators?.find((each) => each.id === id) : undefined;
    if (act === 'remove-authenticator' && !authenticator) throw new ServiceError('NOT_FOUND');
    const shown = { navigation, act, account, isAdministrator, form: formFor(act), ...failed };
    const knownRoles = act === 'roles' ? await this.pages.roles.names() : undefined;
    return actPage({ ...shown, ...withoutUndefined({ authenticator, knownRoles }) });
  }

  /** Runs an act; if the caller can correct the error, its page is shown again with the input. */
  perform<T>(
    name: UserAct,
    caller: FullPrincipal,
    subject: string,
    typed: TypedAct,
    step: (act: Act) => Promise<T>,
  ): Promise<T> {
    const act = { ...actorOf(caller), reason: typed.reason, ticket: typed.ticket };
    return rerenderOnError(
      ACT_ERRORS,
      (alert, error) => {
        const failed = { alert, typed, newRoles: newRolesIn(error), authenticator: typed.authenticator };
        return this.act(caller, subject, name, failed);
      },
      () => {
        // The pages require reasons that are optional for programs.
        validJustification(act, actRule(name).needsReason ?? false);
        return step(act);
      },
      adminErrorText,
    );
  }

  private frame(caller: FullPrincipal, account: Account, done?: UserDone): UserFrameFields {
    const actor = actorOf(caller);
    return {
      navigation: this.pages.navigationFor(caller),
      account,
      isAdministrator: actor.authority === 'administrator',
      isOpen: this.directory.isOpenTo(account, actor),
      formFor: (part) => this.pages.formFor(caller, account.id, part),
      ...withoutUndefined({ done }),
    };
  }
}
