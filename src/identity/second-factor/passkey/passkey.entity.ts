import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** A registered passkey. */
@Entity('passkey', TABLE)
@Index('passkey_user', ['user_id'])
@Unique(['credential_hash'])
export class PasskeyEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;

  /** SHA-256 of the credential id, which has up to 1023 bytes. */
  @Column('varchar', { length: 43 }) readonly credential_hash!: string;
  @Column('varchar', { length: 1400 }) readonly credential_id!: string;

  /** A COSE key (RFC 9052 section 7) in Base64url. */
  @Column('text') readonly public_key!: string;
  @Column('int') readonly algorithm!: number;
  @Column('bigint') readonly sign_count!: number;
  @Column('int') readonly backup_eligible!: number;
  @Column('int') readonly backed_up!: number;
  @Column('varchar', { length: 36 }) readonly aaguid!: string;
  @Column('varchar', { length: 64 }) readonly transports!: string;
  @Column('varchar', { length: 64, nullable: true }) readonly name!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint', { nullable: true }) readonly last_used_at!: number | null;
}

personalTable(PasskeyEntity, {
  name: 'passkeys',
  owner: 'user_id',
  shown: [
    ...['id', 'credential_id', 'algorithm', 'sign_count', 'backup_eligible', 'backed_up', 'aaguid', 'transports'],
    ...['name', 'created_at', 'last_used_at'],
  ],
  withheld: ['user_id', 'credential_hash', 'public_key'],
});
