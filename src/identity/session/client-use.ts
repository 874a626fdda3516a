/** The signed-in sessions of a client; `last_used_at` is in epoch seconds. */
export interface ClientUse {
  readonly client_id: string;
  readonly number: number;
  readonly last_used_at: number;
}
