import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import type { KeyPurpose } from './signing-keys.js';

/** A sealed key that signs tokens. */
@Entity('signing_key', TABLE)
@Unique(['purpose', 'generation'])
export class SigningKeyEntity {
  @PrimaryColumn('varchar', { length: 64 }) readonly id!: string;
  @Column('varchar', { length: 16 }) readonly purpose!: KeyPurpose;
  @Column('int') readonly generation!: number;
  @Column('varchar', { length: 8 }) readonly algorithm!: string;
  @Column('text') readonly sealed!: string;
  @Column('varchar', { length: 64 }) readonly seal_key!: string;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly signs_from!: number;
  @Column('bigint', { nullable: true }) readonly retired_at!: number | null;
}
