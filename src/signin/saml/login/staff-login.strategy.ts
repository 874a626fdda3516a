import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import * as v from 'valibot';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { CredentialStrategy } from '../../auth/strategies/credential.strategy.js';
import { Idps } from '../idp/idps.service.js';
import { responseSchema } from '../saml.schema.js';
import { AssertionConsumer, type SsoResult } from './assertion-consumer.service.js';
import type { SsoCookies } from './sp-initiated-login.service.js';

/** The name by which `AuthGuard` finds the strategy. */
export const SAML = 'saml';

/** The parts of a post to the assertion consumer service that authenticate staff. */
export interface PostedLogin {
  /** Name of the identity provider, from the path. */
  readonly idp: string;
  /** The form as it was posted. */
  readonly form: unknown;
  readonly browser: SsoCookies;
  readonly origin: Pick<HttpRequest, 'protocol' | 'host'>;
}

/** Authenticates staff by the response that an identity provider had a browser post (SAML profiles 4.1.4). */
@Injectable()
export class StaffLoginStrategy extends PassportStrategy(CredentialStrategy, SAML) {
  constructor(
    private readonly idps: Idps,
    private readonly consumer: AssertionConsumer,
  ) {
    super();
  }

  /** @throws ServiceError as `AssertionConsumer.consumeResponse` does */
  override validate({ idp: name, form, browser, origin }: PostedLogin): Promise<SsoResult> {
    const idp = this.idps.named(name);
    const posted = v.safeParse(responseSchema, form);
    if (!posted.success) return this.consumer.reject(idp, 'malformed');
    const { SAMLResponse: response, RelayState: relayState } = posted.output;
    return this.consumer.consumeResponse(idp, { response, relayState }, browser, origin);
  }
}
