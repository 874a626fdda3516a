import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A refresh token; all tokens of a session, used ones included, are a family. */
@Entity('refresh_token', TABLE)
@Index('refresh_token_end', ['expires_at'])
@Index('refresh_token_session', ['session_id'])
@Index('refresh_token_user', ['user_id'])
export class RefreshTokenEntity {
  @PrimaryColumn('varchar', { length: 43 }) readonly token_hash!: string;
  @Column('varchar', { length: 36 }) readonly session_id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('int') readonly generation!: number;
  @Column('varchar', { length: 64 }) readonly amr!: string;
  @Column('bigint', { nullable: true }) readonly mfa_at!: number | null;
  @Column('varchar', { length: 32, nullable: true }) readonly mfa_method!: string | null;
  @Column('bigint') readonly issued_at!: number;
  @Column('bigint') readonly expires_at!: number;
  @Column('bigint', { nullable: true }) readonly rotated_at!: number | null;
  @Column('varchar', { length: 43, nullable: true }) readonly replaced_by!: string | null;
  @Column('varchar', { length: 255, nullable: true }) readonly sealed_successor!: string | null;
  @Column('bigint', { nullable: true }) readonly superseded_at!: number | null;

  /** Null if the identity provider does not prove it. */
  @Column('bigint', { nullable: true }) readonly auth_time!: number | null;

  /** 1 for a token whose value names its session, so that its use is noticed without its row. */
  @Column('int', { default: 0 }) readonly names_session!: number;
}

personalTable(RefreshTokenEntity, {
  name: 'refresh_tokens',
  owner: 'user_id',
  shown: [
    ...['session_id', 'generation', 'amr', 'auth_time', 'mfa_at', 'mfa_method', 'issued_at', 'expires_at'],
    ...['rotated_at', 'superseded_at'],
  ],
  withheld: ['user_id', 'token_hash', 'names_session', 'replaced_by', 'sealed_successor'],
});
