import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A sign-in to an application behind a proxy; once its user has signed in, it has a code. */
@Entity('forward_auth_request', TABLE)
@Index('forward_auth_request_end', ['expires_at'])
@Unique(['code_hash'])
export class SignInRequestEntity {
  /** SHA-256 of the parameter `request`. */
  @PrimaryColumn('varchar', { length: 43 }) readonly id!: string;
  @Column('varchar', { length: 300 }) readonly origin!: string;
  /** Path and query to return to. */
  @Column('text') readonly uri!: string;
  /** SHA-256 of the cookie at the host of the application. */
  @Column('varchar', { length: 43 }) readonly state_hash!: string;
  /** What the user was asked for since. */
  @Column('varchar', { length: 16, nullable: true }) readonly asked!: string | null;
  @Column('varchar', { length: 43, nullable: true }) readonly code_hash!: string | null;
  /** The session of the browser; null before there is a code. */
  @Column('varchar', { length: 36, nullable: true }) readonly parent_id!: string | null;
  @Column('varchar', { length: 36, nullable: true }) readonly user_id!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly expires_at!: number;
}

personalTable(SignInRequestEntity, {
  name: 'forward_auth_requests',
  owner: 'user_id',
  shown: ['origin', 'uri', 'created_at', 'expires_at'],
  withheld: ['id', 'state_hash', 'asked', 'code_hash', 'parent_id', 'user_id'],
});
