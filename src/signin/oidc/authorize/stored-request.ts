/** What a user is asked for before a request goes on. */
export type Asked = 'login' | 'second factor';

/** A stored request; `createdAt` in epoch seconds. */
export interface StoredRequest {
  readonly uri: string;
  readonly clientId: string;
  readonly parameters: string;
  readonly asked?: Asked;
  readonly createdAt: number;
}
