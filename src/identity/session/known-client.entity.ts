import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A client without cookies that has signed in before. */
@Entity('known_client', TABLE)
@Index('known_client_end', ['expires_at'])
@Index('known_client_user', ['user_id'])
export class KnownClientEntity {
  /** SHA-256 of subject, network and user agent. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(KnownClientEntity, {
  name: 'known_clients',
  owner: 'user_id',
  shown: ['expires_at'],
  withheld: ['id', 'user_id'],
});
