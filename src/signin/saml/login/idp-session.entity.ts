import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** A session at an identity provider. */
@Entity('idp_session', TABLE)
@Index('idp_session_end', ['expires_at'])
@Index('idp_session_name', ['name_hash'])
export class IdpSessionEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 32 }) readonly idp!: string;
  @Column('varchar', { length: 43 }) readonly name_hash!: string;
  @Column('text') readonly name_id!: string;
  @Column('varchar', { length: 255, nullable: true }) readonly session_index!: string | null;
  @Column('bigint') readonly expires_at!: number;
}
