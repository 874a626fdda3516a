import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';

/** How often operators requested a new reading of the metadata of an identity provider. */
@Entity('metadata_request', TABLE)
export class MetadataRequestEntity {
  @PrimaryColumn('varchar', { length: 64 }) readonly idp!: string;
  @Column('bigint') readonly requests!: number;
}
