import { type CertificateFacts, certificateFacts } from './idp-certificates.js';
import type { MetadataReading } from './idp-metadata.js';
import type { IdpTrust } from './idp-trust.js';

/** What was found out about an identity provider. */
export type IdpFacts = Pick<MetadataReading, 'trust'> & Partial<MetadataReading>;

/** An identity provider with the last good that is known of it. */
export class IdpMetadataCache {
  private knowledge: IdpFacts | undefined;
  private learntAt: number | undefined;
  private facts: readonly CertificateFacts[] = [];
  private fault = 'nothing was read of it yet';
  private isFaulty = false;

  constructor(
    readonly name: string,
    readonly displayName: string,
  ) {}

  get current(): IdpFacts | undefined {
    return this.knowledge;
  }

  /** Milliseconds since 1970 at which that was true according to where it comes from. */
  get updatedAt(): number | undefined {
    return this.learntAt;
  }

  /** Of those it signs with. */
  get certificates(): readonly CertificateFacts[] {
    return this.facts;
  }

  /** Why the last attempt to learn more has failed. */
  get failure(): string | undefined {
    return this.isFaulty ? this.fault : undefined;
  }

  update(knowledge: IdpFacts, at: number): void {
    this.knowledge = knowledge;
    this.learntAt = at;
    this.facts = knowledge.trust.certificates.map(certificateFacts);
    this.isFaulty = false;
  }

  /** What is known stays. */
  markFailed(fault: string): void {
    this.fault = fault;
    this.isFaulty = true;
  }

  /** What to trust it by now, or why nothing. */
  trustAt(millis: number): IdpTrust | { readonly fault: string } {
    const { trust } = this.knowledge ?? {};
    if (!trust) return { fault: this.fault };
    if (trust.validUntil === undefined || millis < trust.validUntil) return trust;
    const until = `the metadata were valid until ${new Date(trust.validUntil).toISOString()}`;
    return { fault: this.isFaulty ? `${until}, and ${this.fault}` : until };
  }
}
