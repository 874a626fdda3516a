import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A mailed link for one act of one account. */
@Entity('account_link', TABLE)
@Index('account_link_end', ['expires_at'])
@Index('account_link_user', ['user_id'])
@Unique(['token_hash'])
export class AccountLinkEntity {
  /** One row for each account and kind of which a new link replaces the previous one. */
  @PrimaryColumn('varchar', { length: 64 }) readonly slot!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 16 }) readonly kind!: string;
  @Column('varchar', { length: 43, nullable: true }) readonly token_hash!: string | null;

  /** What the account must still be for the link to be valid. */
  @Column('varchar', { length: 43 }) readonly state!: string;
  @Column('bigint') readonly requested_at!: number;
  @Column('bigint') readonly expires_at!: number;

  /** Version of the address that the mail went to; -1 for one that the account no longer had. */
  @Column('bigint', { default: -1 }) readonly email_version!: number;

  /** The address that the link confirms. */
  @Column('varchar', { length: 254, nullable: true }) readonly email!: string | null;
}

personalTable(AccountLinkEntity, {
  name: 'links',
  owner: 'user_id',
  shown: ['kind', 'requested_at', 'expires_at', 'email'],
  // The slot of a report contains the hash of its token.
  withheld: ['slot', 'user_id', 'token_hash', 'state', 'email_version'],
});
