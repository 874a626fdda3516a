import type { InferOutput } from 'valibot';
import { type Account, hasSecondFactor } from '../../../identity/account/account.js';
import { toAuthenticatorBody, toDate } from '../../../signin/auth/api/presenters.js';
import type { EventRow } from '../../../identity/events/event-line.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { amrOf } from '../../../kernel/principal/amr.js';
import type { Session } from '../../../identity/session/session.js';
import type { ListedClient } from '../listed-client.js';
import type { clientsResponse } from './clients.schema.js';
import type { devicesResponse } from '../../../signin/auth/api/history.schema.js';
import type { TrustedDevice } from '../../../identity/second-factor/trusted-device/trusted-device.js';
import type { VisibleAccount } from '../account-details.js';
import type { adminEventsResponse, userResponse, userSessionsResponse, usersResponse } from './users.schema.js';

export function toUserBody(account: Account): InferOutput<typeof usersResponse>['items'][number] {
  const { id, loginId, kind, status, roles, email = null, emailVerified, displayName = null, groups } = account;
  const mfa = { mfa_active: hasSecondFactor(account), mfa_required: account.mfaRequired };
  const profile = { email, email_verified: emailVerified, name: displayName, groups };
  const times = { created: toDate(account.createdAt), last_sign_in: toNullableDate(account.lastSignInAt) };
  return { sub: id, id: loginId, kind, status, roles, ...profile, ...times, ...mfa };
}

export function toUserDetailsBody({
  account,
  factors,
  authenticators,
}: VisibleAccount): InferOutput<typeof userResponse> {
  const { state, activatedAt, backupCodes, lock } = factors;
  return {
    ...toUserBody(account),
    has_password: account.hasPassword,
    password_expires: toNullableDate(account.passwordEndsAt),
    mfa: {
      state,
      activated: toNullableDate(activatedAt),
      backup_codes_remaining: backupCodes.remaining,
      enrolment_forced: account.enrolmentForced,
      locked: lock !== undefined,
      locked_until: toNullableDate(lock?.endsByItself === true ? lock.until : undefined),
    },
    ...withoutUndefined({ authenticators: authenticators?.map(toAuthenticatorBody) }),
  };
}

export function toUserSessionBody(session: Session): InferOutput<typeof userSessionsResponse>['items'][number] {
  const { id, kind, amr, idp = null, agent = null, ip = null, createdAt, lastUsedAt, expiresAt, application } = session;
  const instants = { created: toDate(createdAt), last_used: toDate(lastUsedAt), expires: toDate(expiresAt) };
  const client = withoutUndefined({ client: application?.clientId });
  return { id, kind, ...client, amr, idp, device: agent, ip, ...instants };
}

export function toDeviceBody(device: TrustedDevice): InferOutput<typeof devicesResponse>['items'][number] {
  const { id, label = null, ip = null, createdAt, lastUsedAt, expiresAt } = device;
  return {
    id,
    device: label,
    ip,
    created: toDate(createdAt),
    last_used: toDate(lastUsedAt),
    expires: toDate(expiresAt),
  };
}

export function toEventBody(row: EventRow): InferOutput<typeof adminEventsResponse>['items'][number] {
  const { id, at, kind, result, user_id, actor, reason, ip, agent, request_id, idp, authn_context, amr, detail } = row;
  const login = { idp, authn_context, amr: amr === null ? null : amrOf(amr) };
  const facts = detail === null ? {} : (JSON.parse(detail) as Readonly<Record<string, string>>);
  const what = { id, time: new Date(at), kind, result, user: user_id, actor, reason };
  return { ...what, ip, device: agent, request_id, ...login, detail: facts };
}

export function toClientBody(listed: ListedClient): InferOutput<typeof clientsResponse>['items'][number] {
  const { client, credentials, accessLifetime, sources, sessions, lastUsedAt } = listed;
  const { id, name, logo = null, claims, roles, minAcr = null, maxAge = null, backchannelLogoutUri = null } = client;
  return {
    ...{ id, name, logo, kind: client.isPublic ? 'public' : 'confidential', authentication: [...credentials] },
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...client.postLogoutRedirectUris],
    backchannel_logout_uri: backchannelLogoutUri,
    ...{ audience: [...client.audiences], scopes: [...client.scopes], claims: [...claims] },
    grant_types: [...client.grantTypes],
    ...{ min_acr: minAcr, max_age: maxAge, roles: [...roles], access_lifetime: accessLifetime },
    ...{ id_token_algorithm: client.idTokenAlgorithm, signed_userinfo: client.hasSignedUserinfo },
    ...{ sources: [...sources], sessions, last_used: toNullableDate(lastUsedAt) },
  };
}

function toNullableDate(seconds: number | undefined): Date | null {
  return seconds === undefined ? null : toDate(seconds);
}
