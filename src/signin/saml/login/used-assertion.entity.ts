import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** An assertion or a logout request that has been used. */
@Entity('used_assertion', TABLE)
@Index('used_assertion_end', ['expires_at'])
export class UsedAssertionEntity {
  /** SHA-256 of a value that may be long. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('bigint') readonly expires_at!: number;
}
