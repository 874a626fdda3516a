import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { StepUpRequired } from '../../kernel/principal/amr.js';
import { setUser } from '../../kernel/principal/request-context.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { cookiesOf, type Reply } from '../../platform/web/cookies.js';
import type { HttpRequest } from '../../platform/web/http-request.js';
import { decideSignIn, type Question, type Visitor } from '../oidc/authorize/sign-in-decision.js';
import { decideAccess } from './access-decision.js';
import type { AccessRule } from './access-rules.js';
import { ApplicationCookies } from './application-cookies.js';
import { ApplicationSessions } from './application-sessions.service.js';
import { type Identity, identityHeaders } from './identity-headers.js';
import { ProtectedApplications } from './protected-applications.js';
import { isNavigation, type ProxiedRequest, proxiedRequest } from './proxied-request.js';
import { returnUri } from './request-target.js';

/** Decides for a proxy whether a request may reach its application. */
@Injectable()
export class ForwardAuth {
  constructor(
    private readonly applications: ProtectedApplications,
    private readonly sessions: ApplicationSessions,
    private readonly cookies: ApplicationCookies,
    private readonly clock: Clock,
  ) {}

  /**
   * Responds 200 with what the application learns, or with the address at which a browser signs in.
   * @throws ServiceError `ACCESS_DENIED`, `INVALID_TOKEN` or `STEP_UP_REQUIRED` for a request that is not one of a page
   */
  async decide(request: HttpRequest, reply: Reply): Promise<void> {
    const { proxied, rule } = this.read(request);
    if (rule.isPublic) {
      this.admit(undefined, proxied, request, reply);
      return;
    }
    const secret = this.cookies.sessionOf(cookiesOf(request), proxied.origin.replace(/:.*$/s, ''));
    const visitor = await this.sessions.visitor(secret, proxied.origin);
    const now = this.clock.seconds();
    const decision = await decideAccess(rule, (demands) => decideSignIn(demands, visitor, { now }));
    if (decision.kind === 'deny') throw denied('demand');
    if (decision.kind === 'ask') this.ask(decision.question, visitor, { proxied, rule, request, reply });
    else this.admit(identityOf(decision.visitor), proxied, request, reply);
  }

  /** @throws ServiceError `ACCESS_DENIED` unless a proxy describes a request for which there is one rule */
  private read(request: HttpRequest): { readonly proxied: ProxiedRequest; readonly rule: AccessRule } {
    const { isProxy, requestHeaders, rules } = this.applications;
    if (!isProxy(request.socket.remoteAddress)) throw denied('peer');
    const proxied = proxiedRequest(request.headers, requestHeaders, originOf(request));
    if (!proxied) throw denied('description');
    const rule = rules.find(proxied.origin, proxied.target.path);
    if (!rule) throw denied('rule');
    return { proxied, rule };
  }

  private admit(identity: Identity | undefined, { origin }: ProxiedRequest, request: HttpRequest, reply: Reply): void {
    for (const [name, value] of Object.entries(identityHeaders(identity))) reply.setHeader(name, value);
    const isOwnHost = this.applications.isAtOwnHost(origin);
    reply.setHeader('cookie', this.cookies.withoutOwn(request.headers.cookie ?? '', isOwnHost));
  }

  private ask(question: Question, visitor: Visitor | undefined, { proxied, rule, request, reply }: Asked): void {
    if (!isNavigation(proxied, request.headers)) throw rejectionOf(question, visitor, rule);
    reply.setStatus(this.applications.requestHeaders === 'original' ? 401 : 302);
    reply.setHeader('location', this.applications.signInUrl(proxied.origin, returnUri(proxied.target)));
  }
}

interface Asked {
  readonly proxied: ProxiedRequest;
  readonly rule: AccessRule;
  readonly request: HttpRequest;
  readonly reply: Reply;
}

/** The origin that the browser uses, as a trusted proxy forwards it. */
export function originOf({ protocol, host }: Pick<HttpRequest, 'protocol' | 'host'>): string {
  return `${protocol}://${host}`;
}

function identityOf({ principal, account }: Visitor): Identity {
  setUser(account.id);
  return { account, amr: principal.amr };
}

function denied(what: 'peer' | 'description' | 'rule' | 'demand'): ServiceError {
  return new ServiceError('ACCESS_DENIED', { reason: `forward-auth ${what}` });
}

/** For scripts, which cannot sign in: what they need (RFC 6750, RFC 9470). */
function rejectionOf(question: Question, visitor: Visitor | undefined, { maxAge }: AccessRule): ServiceError {
  if (!visitor) return new ServiceError('INVALID_TOKEN', { reason: 'no credentials' });
  if (question.kind === 'second factor') return new StepUpRequired({ method: question.required ?? 'mfa' });
  if (question.kind === 'enrolment') return new StepUpRequired({ method: 'mfa' });
  return new StepUpRequired({ method: 'pwd', ...withoutUndefined({ maxAge }) });
}
