import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** A batch of security events, with a hash over them and the batch before. */
@Entity('event_batch', TABLE)
export class EventBatchEntity {
  @PrimaryColumn('bigint') readonly batch!: number;
  @Column('int') readonly begins!: number;
  @Column('varchar', { length: 36 }) readonly first_id!: string;
  @Column('varchar', { length: 36 }) readonly last_id!: string;
  @Column('int') readonly events!: number;

  /** Milliseconds since 1970. */
  @Column('bigint') readonly at!: number;
  @Column('varchar', { length: 64 }) readonly content!: string;
  @Column('varchar', { length: 64 }) readonly hash!: string;
}
