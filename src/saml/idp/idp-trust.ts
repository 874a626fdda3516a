/** How a message travels (SAML bindings 3.4 and 3.5). */
export type Binding = 'redirect' | 'post';

/** Where an identity provider takes messages. */
export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
}

/** What we know of an identity provider and trust it by: from its metadata, or set by hand. */
export interface IdpTrust {
  readonly entityId: string;
  readonly sso: Endpoint;
  /** Where logout messages go; `responseUrl` where answers go elsewhere (SAML metadata 2.2.2). */
  readonly slo?: Endpoint & { readonly responseUrl?: string };
  /** It signs with one of these; PEM. */
  readonly certificates: readonly string[];
  /** Milliseconds since 1970 from which on the metadata count no more. */
  readonly validUntil?: number;
}
