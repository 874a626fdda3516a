import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';

/** A running instance of the service. */
@Entity('replica', TABLE)
export class ReplicaEntity {
  /** Random, new at each startup. */
  @PrimaryColumn('varchar', { length: 22 }) readonly id!: string;
  @Column('varchar', { length: 255 }) readonly host!: string;
  @Column('varchar', { length: 64 }) readonly version!: string;

  /** Seconds since 1970. */
  @Column('bigint') readonly started_at!: number;

  /** Seconds since 1970 from which on an instance that has not said that it runs counts as stopped. */
  @Column('bigint') readonly expires_at!: number;
}
