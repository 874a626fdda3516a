import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';

/** An event that the webhook has not delivered. */
@Entity('webhook_delivery', TABLE)
@Index('webhook_delivery_end', ['expires_at'])
@Index('webhook_delivery_next', ['state', 'next_at', 'target'])
@Index('webhook_delivery_queue', ['queue', 'state', 'position'])
export class WebhookDeliveryEntity {
  /** Id of the event. */
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;

  /** Id of the user whose events stay in order; the id of the event if it has no user. */
  @Column('varchar', { length: 36 }) readonly queue!: string;

  /** Position in the queue. */
  @Column('int') readonly position!: number;
  @Column('varchar', { length: 32 }) readonly kind!: string;
  @Column('text') readonly body!: string;
  @Column('varchar', { length: 8 }) readonly state!: 'pending' | 'dead';
  @Column('int') readonly attempts!: number;
  @Column('bigint') readonly next_at!: number;
  @Column('bigint') readonly leased_until!: number;
  @Column('varchar', { length: 64, nullable: true }) readonly failure!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly expires_at!: number;

  /** The client id of the application that gets it; empty for the webhook. */
  @Column('varchar', { length: 64, default: '' }) readonly target!: string;
}
