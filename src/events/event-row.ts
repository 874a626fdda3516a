/** A recorded event as it is stored; `at` in milliseconds. */
export interface EventRow {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly user_id: string | null;
  readonly actor: string | null;
  readonly ip: string | null;
  readonly agent: string | null;
  readonly request_id: string | null;
  readonly idp: string | null;
  readonly authn_context: string | null;
  readonly amr: string | null;
  readonly result: string;
  readonly reason: string | null;
  /** JSON of a flat object with texts. */
  readonly detail: string | null;
}
