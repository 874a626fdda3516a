import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** An authorization request that was pushed (RFC 9126), or that waits until its user has signed in. */
@Entity('authorization_request', TABLE)
@Index('authorization_request_end', ['expires_at'])
export class StoredRequestEntity {
  /** SHA-256 of the last part of its `request_uri`. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 64 }) readonly client_id!: string;
  /** A query. */
  @Column('text') readonly parameters!: string;
  /** What the user was asked for since. */
  @Column('varchar', { length: 16, nullable: true }) readonly asked!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly expires_at!: number;
}
