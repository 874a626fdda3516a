import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** A browser that skips the second factor. */
@Entity('trusted_device', TABLE)
@Unique(['secret_hash'])
@Index('trusted_device_end', ['expires_at'])
@Index('trusted_device_user', ['user_id'])
export class TrustedDeviceEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 43 }) readonly secret_hash!: string;
  @Column('varchar', { length: 255, nullable: true }) readonly label!: string | null;
  @Column('varchar', { length: 45, nullable: true }) readonly ip!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly last_used_at!: number;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(TrustedDeviceEntity, {
  name: 'trusted_devices',
  owner: 'user_id',
  shown: ['id', 'label', 'ip', 'created_at', 'last_used_at', 'expires_at'],
  withheld: ['user_id', 'secret_hash'],
});
