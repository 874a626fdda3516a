import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** A sealed TOTP secret. */
@Entity('totp_secret', TABLE)
@Index('totp_secret_user', ['user_id'])
export class TotpSecretEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 255 }) readonly sealed!: string;
  @Column('varchar', { length: 64 }) readonly seal_key!: string;
  @Column('varchar', { length: 64, nullable: true }) readonly asked_by!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint', { nullable: true }) readonly expires_at!: number | null;
  @Column('bigint', { nullable: true }) readonly activated_at!: number | null;
  @Column('int') readonly svg_taken!: number;
  @Column('int') readonly png_taken!: number;
  @Column('varchar', { length: 64, nullable: true }) readonly name!: string | null;
  @Column('bigint', { nullable: true }) readonly last_used_at!: number | null;
  @Column('varchar', { length: 8, nullable: true }) readonly asked_for!: string | null;
}

personalTable(TotpSecretEntity, {
  name: 'authenticators',
  owner: 'user_id',
  shown: ['id', 'name', 'created_at', 'expires_at', 'activated_at', 'last_used_at', 'svg_taken', 'png_taken'],
  withheld: ['user_id', 'sealed', 'seal_key', 'asked_by', 'asked_for'],
});
