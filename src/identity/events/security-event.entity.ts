import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { EVENT_COLUMNS, type EventRow } from './event-line.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A security event; the table is append-only. */
@Entity('security_event', TABLE)
@Index('security_event_batch', ['batch', 'id'])
@Index('security_event_user', ['user_id', 'id'])
export class SecurityEventEntity implements EventRow {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;

  /** Milliseconds since 1970. */
  @Column('bigint') readonly at!: number;
  @Column('varchar', { length: 32 }) readonly kind!: string;
  @Column('varchar', { length: 36, nullable: true }) readonly user_id!: string | null;
  @Column('varchar', { length: 64, nullable: true }) readonly actor!: string | null;
  @Column('varchar', { length: 45, nullable: true }) readonly ip!: string | null;
  @Column('varchar', { length: 255, nullable: true }) readonly agent!: string | null;
  @Column('varchar', { length: 64, nullable: true }) readonly request_id!: string | null;
  @Column('varchar', { length: 64, nullable: true }) readonly idp!: string | null;
  @Column('varchar', { length: 64, nullable: true }) readonly amr!: string | null;
  @Column('varchar', { length: 16 }) readonly result!: string;
  @Column('varchar', { length: 64, nullable: true }) readonly reason!: string | null;
  @Column('varchar', { length: 255, nullable: true }) readonly authn_context!: string | null;

  /** A flat JSON object of details that only this kind of event has. */
  @Column('varchar', { length: 512, nullable: true }) readonly detail!: string | null;

  /** -1 for a new event, 0 for one outside the chain; otherwise the batch that relayed it. */
  @Column('bigint', { default: 0 }) readonly batch!: number;
}

personalTable(SecurityEventEntity, {
  name: 'events',
  owner: 'user_id',
  shown: EVENT_COLUMNS,
  withheld: ['batch'],
});
