import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** The temporary access code of an account: at most one. Instants are epoch seconds. */
@Entity('access_code', TABLE)
@Index('access_code_end', ['expires_at'])
export class AccessCodeEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 80 }) readonly hash!: string;

  /** Null for codes without a pepper, and for the pepper that has no id. */
  @Column('varchar', { length: 64, nullable: true }) readonly pepper!: string | null;

  /** The session or `mfa_token` that has used the code, and alone may set up the authenticator. */
  @Column('varchar', { length: 64, nullable: true }) readonly used_by!: string | null;
  @Column('bigint') readonly created_at!: number;

  /** Until its use, the end of the code; then the end of the setup that it admits. */
  @Column('bigint') readonly expires_at!: number;
}

personalTable(AccessCodeEntity, {
  name: 'access_codes',
  owner: 'user_id',
  shown: ['created_at', 'expires_at'],
  withheld: ['user_id', 'hash', 'pepper', 'used_by'],
});
