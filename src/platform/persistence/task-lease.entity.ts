import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from './table-options.js';

/** The lease of a task that runs on one replica at a time. */
@Entity('task_lease', TABLE)
export class TaskLeaseEntity {
  @PrimaryColumn('varchar', { length: 64 }) readonly task!: string;
  @Column('varchar', { length: 22, nullable: true }) readonly holder!: string | null;

  /** Rises with each change of the holder. */
  @Column('bigint') readonly fence!: number;

  /** Milliseconds since 1970. */
  @Column('bigint') readonly expires_at!: number;
}
