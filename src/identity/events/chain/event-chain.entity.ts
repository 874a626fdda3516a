import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** The head of the chain: one row, which names the last batch. */
@Entity('event_chain', TABLE)
export class EventChainEntity {
  @PrimaryColumn('int') readonly slot!: number;
  @Column('bigint') readonly batch!: number;
  @Column('varchar', { length: 64 }) readonly hash!: string;
  @Column('bigint') readonly deleted!: number;
  @Column('varchar', { length: 64 }) readonly deleted_hash!: string;
  @Column('varchar', { length: 64 }) readonly seal_key!: string;
  @Column('varchar', { length: 64 }) readonly mac!: string;
}
