import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';

/** An `mfa_token` that has been used. */
@Entity('used_mfa_token', TABLE)
@Index('used_mfa_token_end', ['expires_at'])
export class UsedMfaTokenEntity {
  @PrimaryColumn('varchar', { length: 43 }) readonly jti!: string;
  @Column('bigint') readonly expires_at!: number;
}
