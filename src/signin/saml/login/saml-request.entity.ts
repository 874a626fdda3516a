import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** A login, or a logout, that waits for the response of an identity provider. */
@Entity('saml_request', TABLE)
@Index('saml_request_end', ['expires_at'])
export class SamlRequestEntity {
  @PrimaryColumn('varchar', { length: 64 }) readonly id!: string;
  @Column('varchar', { length: 32 }) readonly idp!: string;
  @Column('varchar', { length: 43 }) readonly browser_hash!: string;
  @Column('varchar', { length: 43 }) readonly relay_state!: string;
  @Column('varchar', { length: 1024 }) readonly return_to!: string;
  @Column('text') readonly asked!: string;
  @Column('varchar', { length: 36, nullable: true }) readonly user_id!: string | null;
  @Column('varchar', { length: 36, nullable: true }) readonly session_id!: string | null;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(SamlRequestEntity, {
  name: 'identity_provider_requests',
  owner: 'user_id',
  shown: ['idp', 'return_to', 'asked', 'session_id', 'expires_at'],
  withheld: ['id', 'user_id', 'browser_hash', 'relay_state'],
});
