import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../persistence/table-options.js';
import type { MailRow, MailState } from './mail-message.js';
import { personalTable } from '../persistence/personal-tables.js';

/** A mail that the relay has not accepted yet. */
@Entity('mail_message', TABLE)
@Index('mail_message_due', ['state', 'next_attempt_at'])
@Index('mail_message_end', ['expires_at'])
export class MailMessageEntity implements MailRow {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 255 }) readonly message_id!: string;

  /** Time of creation in milliseconds since 1970; all other times but `expires_at` have this unit as well. */
  @Column('bigint') readonly created_at!: number;
  @Column('varchar', { length: 64 }) readonly template!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;

  /** A flat JSON object of texts without secrets. */
  @Column('text') readonly facts!: string;
  @Column('varchar', { length: 8 }) readonly state!: MailState;
  @Column('int') readonly attempts!: number;

  /** A replica claims a mail by moving this to the end of its lease. */
  @Column('bigint') readonly next_attempt_at!: number;
  @Column('bigint') readonly give_up_at!: number;
  @Column('varchar', { length: 64, nullable: true }) readonly last_error!: string | null;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(MailMessageEntity, {
  name: 'mails',
  owner: 'user_id',
  shown: ['id', 'message_id', 'created_at', 'template', 'facts', 'state', 'attempts', 'last_error'],
  withheld: ['user_id', 'next_attempt_at', 'give_up_at', 'expires_at'],
});
