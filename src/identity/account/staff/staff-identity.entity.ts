import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** The link between an account and a person at an identity provider. */
@Entity('staff_identity', TABLE)
@Index('staff_identity_user', ['user_id'])
export class StaffIdentityEntity {
  /** SHA-256 of issuer and person. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 1024 }) readonly issuer!: string;
  @Column('varchar', { length: 512 }) readonly person!: string;
  @Column('bigint') readonly logins!: number;
  @Column('bigint') readonly created_at!: number;
}

personalTable(StaffIdentityEntity, {
  name: 'identities',
  owner: 'user_id',
  shown: ['issuer', 'person', 'logins', 'created_at'],
  withheld: ['id', 'user_id'],
});
