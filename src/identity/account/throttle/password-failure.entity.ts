import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** The recent password failures of a login id, a browser or an address. */
@Entity('password_failure', TABLE)
@Index('password_failure_end', ['expires_at'])
export class PasswordFailureEntity {
  /** SHA-256 of a login id, a browser or an address. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;

  /** A part of a failure may be forgotten. */
  @Column('double') readonly failures!: number;

  /** Milliseconds since 1970. */
  @Column('bigint') readonly last_at!: number;
  @Column('bigint') readonly expires_at!: number;
}
