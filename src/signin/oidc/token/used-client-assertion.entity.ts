import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** A token with which a client has authenticated (RFC 7523). */
@Entity('used_client_assertion', TABLE)
@Index('used_client_assertion_end', ['expires_at'])
export class UsedClientAssertionEntity {
  /** SHA-256 of client and `jti`. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('bigint') readonly expires_at!: number;
}
