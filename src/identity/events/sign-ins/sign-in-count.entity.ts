import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** The sign-ins of one hour, counted once that hour is over. */
@Entity('sign_in_count', TABLE)
export class SignInCountEntity {
  /** Seconds since 1970 at the beginning of the hour (UTC). */
  @PrimaryColumn('bigint') readonly hour!: number;
  @Column('int') readonly completed!: number;
  @Column('int') readonly failed!: number;

  /** Seconds since 1970. */
  @Column('bigint') readonly expires_at!: number;
}
