/** A browser that skips the second factor; instants are epoch seconds. */
export interface TrustedDevice {
  readonly id: string;
  readonly label?: string;
  readonly ip?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}
