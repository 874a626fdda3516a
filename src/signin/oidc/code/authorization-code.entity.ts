import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** An authorization code; it stays when it has been used, so that a second use is noticed. */
@Entity('authorization_code', TABLE)
@Index('authorization_code_end', ['expires_at'])
export class AuthorizationCodeEntity {
  /** SHA-256 of the code. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 64 }) readonly client_id!: string;
  /** The session of the browser. */
  @Column('varchar', { length: 36 }) readonly parent_id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  /** The session that its use opens. */
  @Column('varchar', { length: 36 }) readonly session_id!: string;
  /** JSON of `CodeTerms`. */
  @Column('text') readonly terms!: string;
  @Column('bigint') readonly expires_at!: number;
  @Column('bigint', { nullable: true }) readonly used_at!: number | null;
}

personalTable(AuthorizationCodeEntity, {
  name: 'authorization_codes',
  owner: 'user_id',
  shown: ['client_id', 'session_id', 'expires_at', 'used_at'],
  withheld: ['user_id', 'id', 'parent_id', 'terms'],
});
