import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** The import in progress, of which there is one at most; it holds this row until all accounts that it staged are active or deleted. */
@Entity('account_import', TABLE)
export class AccountImportEntity {
  @PrimaryColumn('int') readonly slot!: number;
  @Column('varchar', { length: 36 }) readonly holder!: string;
  @Column('varchar', { length: 8 }) readonly state!: string;

  /** A lower bound of the ids of the staged accounts. */
  @Column('varchar', { length: 36 }) readonly first_id!: string;
  @Column('bigint') readonly expires_at!: number;
}
