import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { TABLE } from '../../platform/persistence/table-options.js';
import type { Session } from './session.js';
import { personalTable } from '../../platform/persistence/personal-tables.js';

/** A session, live until it expires. */
@Entity('session', TABLE)
@Index('session_end', ['expires_at'])
@Index('session_idp', ['idp_session'])
@Index('session_parent', ['parent_id'], { where: 'parent_id IS NOT NULL' })
@Index('session_user', ['user_id'])
@Unique(['secret_hash'])
export class SessionEntity {
  @PrimaryColumn('varchar', { length: 36 }) readonly id!: string;
  @Column('varchar', { length: 36 }) readonly user_id!: string;
  @Column('varchar', { length: 8 }) readonly kind!: Session['kind'];
  @Column('varchar', { length: 43, nullable: true }) readonly secret_hash!: string | null;
  @Column('int', { nullable: true }) readonly half_security_stamp!: number | null;
  @Column('varchar', { length: 64 }) readonly amr!: string;
  @Column('bigint', { nullable: true }) readonly mfa_at!: number | null;
  @Column('varchar', { length: 32, nullable: true }) readonly mfa_method!: string | null;
  @Column('varchar', { length: 64, nullable: true }) readonly idp!: string | null;
  @Column('varchar', { length: 255, nullable: true }) readonly authn_context!: string | null;
  @Column('varchar', { length: 45, nullable: true }) readonly ip!: string | null;
  @Column('varchar', { length: 255, nullable: true }) readonly agent!: string | null;
  @Column('bigint') readonly created_at!: number;
  @Column('bigint') readonly last_used_at!: number;
  @Column('bigint') readonly expires_at!: number;
  @Column('bigint', { nullable: true }) readonly ends_at!: number | null;
  @Column('varchar', { length: 36, nullable: true }) readonly idp_session!: string | null;

  /**
   * The session of the browser that an application has signed in with. Of a session without its second factor, the one of the same
   * user that it replaces when it is complete.
   */
  @Column('varchar', { length: 36, nullable: true }) readonly parent_id!: string | null;
  /** Null for a session that is not of an application. */
  @Column('varchar', { length: 64, nullable: true }) readonly client_id!: string | null;
  /** Separated by blanks. */
  @Column('varchar', { length: 512, nullable: true }) readonly scope!: string | null;

  /** Null if the identity provider does not prove it. */
  @Column('bigint', { nullable: true }) readonly auth_time!: number | null;
}

personalTable(SessionEntity, {
  name: 'sessions',
  owner: 'user_id',
  shown: [
    ...['id', 'kind', 'amr', 'auth_time', 'mfa_at', 'mfa_method', 'idp', 'authn_context', 'ends_at', 'ip', 'agent'],
    ...['created_at', 'last_used_at', 'expires_at', 'parent_id', 'client_id', 'scope'],
  ],
  withheld: ['user_id', 'secret_hash', 'half_security_stamp', 'idp_session'],
});
