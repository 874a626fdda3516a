/** A browser that skips the second factor; instants are epoch seconds. */
export interface TrustedDevice {
  readonly id: string;
  readonly label?: string;
  readonly ip?: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** The value of the cookie `trusted_device`. */
export interface DeviceSecret {
  readonly secret: string;
  /** Epoch seconds; fixed from the grant, whether or not the device is used. */
  readonly expiresAt: number;
}
