import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** The hash of an unused backup code. */
@Entity('backup_code', TABLE)
export class BackupCodeEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly user_id!: string;
  @PrimaryColumn('varchar', { length: 36 }) readonly set_id!: string;
  @PrimaryColumn('varchar', { length: 80 }) readonly hash!: string;

  /** Null for codes without a pepper, and for the pepper that has no id. */
  @Column('varchar', { length: 64, nullable: true }) readonly pepper!: string | null;
}

personalTable(BackupCodeEntity, {
  name: 'backup_codes',
  owner: 'user_id',
  shown: ['set_id'],
  withheld: ['user_id', 'hash', 'pepper'],
});
