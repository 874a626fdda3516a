import { AbstractStrategy, type Profile, type SAML, type VerifiedCallback } from '@node-saml/passport-saml';

/** What the strategy asks Passport to do with the request. */
type Outcome =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'success'; readonly profile: Profile }
  | { readonly kind: 'failure'; readonly message: string };

/** The parts of a request that the strategy reads. */
interface StrategyRequest {
  readonly query: { readonly RelayState?: string };
  readonly body: { readonly SAMLResponse?: string };
}

/**
 * The strategy of passport-saml for one exchange with one identity provider. Its outcome is returned in place of being
 * written to the response, so that redirects are 303, errors have the service's pages, and cookies are set beside them.
 */
export class SamlStrategy extends AbstractStrategy {
  static override readonly newSamlProviderOnConstruct = false;
  private settle: (outcome: Outcome) => void = () => undefined;

  constructor(saml: SAML) {
    super(saml.options, returnProfile, rejectLogout);
    this._saml = saml;
  }

  /** The URL at the identity provider that takes an AuthnRequest (SAML bindings 3.4). */
  async redirectUrl(relayState: string): Promise<string> {
    const outcome = await this.run({ query: { RelayState: relayState }, body: {} });
    if (outcome.kind === 'redirect') return outcome.url;
    throw new Error(outcome.kind === 'failure' ? outcome.message : 'an AuthnRequest has no profile');
  }

  /** Why a posted response is rejected; undefined if it is accepted. */
  async rejection(response: string): Promise<string | undefined> {
    const outcome = await this.run({ query: {}, body: { SAMLResponse: response } });
    if (outcome.kind === 'success') return undefined;
    return outcome.kind === 'failure' ? outcome.message : 'the response led to a redirect';
  }

  override redirect(url: string): void {
    this.settle({ kind: 'redirect', url });
  }

  override success(profile: unknown): void {
    this.settle({ kind: 'success', profile: profile as Profile });
  }

  override error(error: unknown): void {
    this.settle({ kind: 'failure', message: error instanceof Error ? error.message : 'unknown' });
  }

  override fail(): void {
    this.settle({ kind: 'failure', message: 'the response has no profile' });
  }

  override pass(): void {
    this.settle({ kind: 'failure', message: 'the response is a LogoutResponse' });
  }

  private run(request: StrategyRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.authenticate(request as unknown as Parameters<AbstractStrategy['authenticate']>[0], {});
    });
  }
}

function returnProfile(profile: Profile | null, done: VerifiedCallback): void {
  done(null, profile ?? undefined);
}

/** Logout messages are verified by `logout-messages.service.ts`. */
function rejectLogout(_profile: Profile | null, done: VerifiedCallback): void {
  done(new Error('logout messages are not accepted here'));
}
