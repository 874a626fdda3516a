import { type CanActivate, type CustomDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type AuthenticatedRequest, challenge } from './access-token.guard.js';

const ACR_MFA = 'urn:login:acr:mfa';

interface Method {
  readonly amr: string;
  /** The longest time since the user proved the second factor, in seconds. */
  readonly maxAge?: number;
}

const RequiredMethod = Reflector.createDecorator<Method>();

/** Demands an authentication context class, such as `urn:login:acr:mfa` for any second factor. */
export const RequireAcr = Reflector.createDecorator<string>();

/** Demands a method of authentication (RFC 8176), such as `otp`, proven within `maxAge` seconds. */
export function RequireAmr(amr: string, { maxAge }: Omit<Method, 'amr'> = {}): CustomDecorator {
  return RequiredMethod({ amr, ...(maxAge !== undefined && { maxAge }) });
}

/** Demands what `RequireAcr` and `RequireAmr` say; otherwise asks for more proof (RFC 9470). */
@Injectable()
export class ProofGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const acr = this.reflector.getAllAndOverride<string | undefined>(RequireAcr.KEY, targets);
    const method = this.reflector.getAllAndOverride<Method | undefined>(RequiredMethod.KEY, targets);
    const { claims } = context.switchToHttp().getRequest<AuthenticatedRequest>();

    if (acr !== undefined && claims.acr !== acr) return challenge(context, stepUp(acr));
    if (method === undefined) return true;
    const { amr, maxAge } = method;
    // A missing time is too old.
    const isRecent = maxAge === undefined || Date.now() / 1000 - (claims.mfa_at ?? -Infinity) <= maxAge;
    if (isRecent && claims.amr?.includes(amr)) return true;
    return challenge(context, stepUp(ACR_MFA, maxAge));
  }
}

function stepUp(acr: string, maxAge?: number): string {
  const age = maxAge === undefined ? '' : `, max_age="${maxAge}"`;
  return `Bearer error="insufficient_user_authentication", acr_values="${acr}"${age}`;
}
