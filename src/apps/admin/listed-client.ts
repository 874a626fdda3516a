import type { Client } from '../../identity/client/client.js';

/** How a client authenticates; `none` if it is public. */
export type ClientCredential = 'client_secret' | 'private_key_jwt' | 'none';

/** A client as administrators see it, without its secret. */
export interface ListedClient {
  readonly client: Client;
  readonly credentials: readonly ClientCredential[];
  /** Seconds. */
  readonly accessLifetime: number;
  /** Names of the property sources with keys of the client, highest first. */
  readonly sources: readonly string[];
  /** Number of its signed-in sessions. */
  readonly sessions: number;
  /** The last sign-in or refresh of one of them, in epoch seconds. */
  readonly lastUsedAt?: number;
}
