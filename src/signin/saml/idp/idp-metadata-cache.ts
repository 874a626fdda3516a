import { type CertificateFacts, certificateFacts, type IdpTrust } from './idp-trust.js';
import type { MetadataReading } from './idp-metadata.js';

/** Facts about an identity provider, from metadata or configuration. */
export type CachedMetadata = Pick<MetadataReading, 'trust'> & Partial<MetadataReading>;

/** The last valid facts about an identity provider, and the last failure to renew them. */
export class IdpMetadataCache {
  private knowledge: CachedMetadata | undefined;
  private learntAt: number | undefined;
  private facts: readonly CertificateFacts[] = [];
  private problem = 'no metadata has been read yet';
  private isInvalid = false;

  constructor(
    readonly name: string,
    readonly displayName: string,
  ) {}

  get current(): CachedMetadata | undefined {
    return this.knowledge;
  }

  /** Milliseconds since 1970 at which the facts were read from their source. */
  get updatedAt(): number | undefined {
    return this.learntAt;
  }

  /** The certificates with which it signs. */
  get certificates(): readonly CertificateFacts[] {
    return this.facts;
  }

  /** Why the last refresh failed; undefined after a success. */
  get failure(): string | undefined {
    return this.isInvalid ? this.problem : undefined;
  }

  update(knowledge: CachedMetadata, at: number): void {
    this.facts = knowledge.trust.certificates.map(certificateFacts);
    this.knowledge = knowledge;
    this.learntAt = at;
    this.isInvalid = false;
  }

  /** Records a failed refresh; the current facts stay in use. */
  markFailed(problem: string): void {
    this.problem = problem;
    this.isInvalid = true;
  }

  /** The trust settings that apply at an instant, or why there are none. */
  trustAt(millis: number): IdpTrust | { readonly problem: string } {
    const { trust } = this.knowledge ?? {};
    if (!trust) return { problem: this.problem };
    if (trust.validUntil === undefined || millis < trust.validUntil) return trust;
    const until = `the metadata was valid until ${new Date(trust.validUntil).toISOString()}`;
    return { problem: this.isInvalid ? `${until}, and ${this.problem}` : until };
  }
}
