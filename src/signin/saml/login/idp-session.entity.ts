import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

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

personalTable(IdpSessionEntity, {
  name: 'identity_provider_sessions',
  owner: { column: 'id', from: 'session', of: 'idp_session', by: 'user_id' },
  shown: ['idp', 'name_id', 'session_index', 'expires_at'],
  withheld: ['id', 'name_hash'],
});
