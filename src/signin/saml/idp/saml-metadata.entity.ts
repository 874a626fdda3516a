import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** The last valid metadata of an identity provider. */
@Entity('saml_metadata', TABLE)
export class SamlMetadataEntity {
  @PrimaryColumn('varchar', { length: 64 }) readonly idp!: string;
  @Column('varchar', { length: 1024 }) readonly url!: string;
  @Column('mediumtext') readonly document!: string;
  @Column('bigint') readonly fetched_at!: number;
}
