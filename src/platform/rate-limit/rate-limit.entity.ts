import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../persistence/table-options.js';

/** The hits of a limit in one window. */
@Entity('rate_limit', TABLE)
@Index('rate_limit_end', ['expires_at'])
export class RateLimitEntity {
  /** SHA-256 of a limit, what it counts by, and the number of its window. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('int') readonly hits!: number;
  @Column('bigint') readonly expires_at!: number;
}
