import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';
import type { CodesOccasion } from './shown-codes.js';

/** New backup codes that the page of one session shows until its user confirms them, sealed. Instants are epoch seconds. */
@Entity('shown_backup_codes', TABLE)
@Index('shown_backup_codes_end', ['expires_at'])
@Index('shown_backup_codes_user', ['user_id'])
export class ShownCodesEntity {
  /** The session, which alone may see the codes. */
  @PrimaryColumn('varchar', { length: 64 }) readonly asked_by!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;

  /** The set of the codes; they are not shown once the account has another one. */
  @Column('varchar', { length: 36 }) readonly set_id!: string;
  @Column('varchar', { length: 8 }) readonly occasion!: CodesOccasion;
  @Column('varchar', { length: 512 }) readonly sealed!: string;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(ShownCodesEntity, {
  name: 'shown_backup_codes',
  owner: 'user_id',
  shown: ['set_id', 'occasion', 'created_at', 'expires_at'],
  withheld: ['asked_by', 'user_id', 'sealed'],
});
