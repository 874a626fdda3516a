import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { StaffCreation, type StaffPerson } from '../../identity/account/staff/staff-accounts.service.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { withCommandContext } from '../../kernel/principal/command-context.js';
import { configuredEntityId, MetadataFailure } from '../../signin/saml/idp/metadata-source.js';
import { SamlProperties } from '../../signin/saml/saml.properties.js';
import type { Act } from './account-administration.service.js';

/** A user of an identity provider. `issuer` is its entity id, which is required only if its metadata is at a URL. */
export type AdmittedPerson = Omit<StaffPerson, 'issuer' | 'qualifier'> & { readonly issuer?: string | undefined };

export type AdmissionOutcome =
  | { readonly kind: 'admitted'; readonly account: Account }
  | { readonly kind: 'unknown idp' }
  | { readonly kind: 'issuer required' }
  /** The issuer of the request differs from the configured one. */
  | { readonly kind: 'other issuer'; readonly issuer: string }
  | { readonly kind: 'metadata unusable'; readonly reason: string };

/** Creates the accounts of an identity provider's users before their first login. */
@Injectable()
export class StaffAdmission {
  constructor(
    private readonly staff: StaffCreation,
    private readonly work: UnitOfWork,
    private readonly saml: SamlProperties,
  ) {}

  /**
   * Creates an account for the identity provider that the configuration names, so that a typing error in `issuer` does
   * not create an account that no login finds.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` if the person has an account
   */
  async admit({ issuer: statedIssuer, ...person }: AdmittedPerson, act: Act): Promise<AdmissionOutcome> {
    const properties = this.saml.idp.get(person.idp);
    if (!properties) return { kind: 'unknown idp' };
    let known: string | undefined;
    try {
      known = await configuredEntityId(properties);
    } catch (error) {
      if (error instanceof MetadataFailure) return { kind: 'metadata unusable', reason: error.message };
      throw error;
    }
    if (known !== undefined && statedIssuer !== undefined && known !== statedIssuer)
      return { kind: 'other issuer', issuer: known };
    const issuer = known ?? statedIssuer;
    if (issuer === undefined) return { kind: 'issuer required' };
    const account = await withCommandContext({ reason: act.reason }, () =>
      this.work.run((tx) => this.staff.admit(tx, { ...person, issuer }, act.actor)),
    );
    return { kind: 'admitted', account };
  }
}
