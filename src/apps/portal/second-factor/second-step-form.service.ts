import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { type Amr, hasOtp, isPhishingResistant } from '../../../kernel/principal/amr.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { SESSION } from '../../../signin/auth/cookies.js';
import { CredentialWriter } from '../../../signin/auth/credential-writer.service.js';
import { RequestAuthenticator } from '../../../signin/auth/guards/request-authenticator.service.js';
import { PasskeyStep } from '../../../signin/auth/login/passkey-step.service.js';
import type { CompletedSecondStep } from '../../../signin/auth/login/second-step-completion.service.js';
import { SecondStep, type SecondStepClient } from '../../../signin/auth/login/second-step.service.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import type { OnlyFactor } from '../../../signin/auth/page-paths.js';
import type { verifyForm } from '../form/forms.schema.js';
import { codeIn } from '../form/code-field.js';
import { assertionIn } from '../form/passkey-field.js';
import { provedAt } from './code-pages.service.js';

const SATISFIES: Readonly<Record<OnlyFactor, (amr: Amr) => boolean>> = { otp: hasOtp, passkey: isPhishingResistant };
/** Errors of a form if the same form, sent at the same moment, has already used the code and the session. */
const LATE: ReadonlySet<ErrorCode> = new Set(['MFA_CODE_INVALID', 'INVALID_TOKEN']);

/** The second step by a form, which a browser may send again or twice at once. */
@Injectable()
export class SecondStepForm {
  constructor(
    private readonly authentication: RequestAuthenticator,
    private readonly reauthentication: Reauthentication,
    private readonly secondStep: SecondStep,
    private readonly passkeys: PasskeyStep,
    private readonly credentials: CredentialWriter,
  ) {}

  /**
   * True if the session has proved the required factor. With another factor, the target would redirect the user back to
   * this page.
   */
  hasProved(caller: Principal, required: OnlyFactor | undefined, maxAge?: number): boolean {
    if (required && !(caller.kind === 'full' && SATISFIES[required](caller.amr))) return false;
    return this.reauthentication.hasFreshMfa(caller, maxAge);
  }

  /** Proves the second factor; undefined if another request with the same form has done so. */
  prove(
    caller: Principal,
    { code = '', credential, trust_device: trust }: InferOutput<typeof verifyForm>,
    reply: Reply,
  ): Promise<CompletedSecondStep | undefined> {
    const client = { cookies: reply.cookies, trustDevice: trust === 'true' && caller.kind === 'half' };
    return this.unlessDone(caller, reply, () =>
      credential === undefined
        ? this.secondStep.prove(caller, codeIn(code), client)
        : this.assert(caller, credential, client),
    );
  }

  /** Writes the cookies of the session that the completed step has opened. */
  async write(reply: Reply, { opened, proof, trustedDevice }: CompletedSecondStep): Promise<void> {
    await this.credentials.write(reply, opened, proof.roles, 'session');
    if (trustedDevice) this.credentials.writeTrustedDevice(reply, trustedDevice);
  }

  /**
   * Verifies a passkey. An empty credential means that the script got no options; the service then throws the reason,
   * unless it no longer applies.
   */
  private async assert(caller: Principal, credential: string, client: SecondStepClient): Promise<CompletedSecondStep> {
    if (credential === '') await this.passkeys.options(caller);
    return this.passkeys.prove(caller, assertionIn(credential), client);
  }

  /**
   * Runs the step. Undefined if it fails because the same form, which was sent twice at once, has completed the step: the
   * session of the cookie is then replaced or proven, and the response to the other request has the new cookie.
   */
  private async unlessDone<T>(caller: Principal, reply: Reply, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ServiceError) || !LATE.has(error.code) || caller.via === 'token') throw error;
      const now = await this.authentication.visitor(reply.cookies[SESSION]);
      if (now?.kind === caller.kind && provedAt(now) === provedAt(caller)) throw error;
      return undefined;
    }
  }
}
