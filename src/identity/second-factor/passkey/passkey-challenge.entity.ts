import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../../platform/persistence/table-options.js';
import { personalTable } from '../../../platform/persistence/personal-tables.js';

/** A challenge that waits for a response, or one of a sign-in by passkey alone, without an account, that was used. */
@Entity('passkey_challenge', TABLE)
@Index('passkey_challenge_asked', ['asked_by'])
@Index('passkey_challenge_end', ['expires_at'])
@Index('passkey_challenge_user', ['user_id'])
export class PasskeyChallengeEntity {
  /** SHA-256 of the challenge. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 64 }) readonly asked_by!: string;
  @Column('varchar', { length: 12 }) readonly purpose!: string;
  @Column('int') readonly security_stamp!: number;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(PasskeyChallengeEntity, {
  name: 'passkey_challenges',
  owner: 'user_id',
  shown: ['purpose', 'created_at', 'expires_at'],
  withheld: ['id', 'user_id', 'asked_by', 'security_stamp'],
});
