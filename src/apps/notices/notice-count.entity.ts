import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** Number of notices of a kind that an account got, so that a loop of acts cannot fill a mailbox. */
@Entity('notice_count', TABLE)
@Index('notice_count_end', ['expires_at'])
@Index('notice_count_user', ['user_id'])
export class NoticeCountEntity {
  @PrimaryColumn('varchar', { length: 96 }) readonly slot!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('bigint') readonly began_at!: number;
  @Column('bigint') readonly notices!: number;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(NoticeCountEntity, {
  name: 'notice_counts',
  owner: 'user_id',
  shown: ['slot', 'began_at', 'notices'],
  withheld: ['user_id', 'expires_at'],
});
