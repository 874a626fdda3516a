/** Why new codes are shown: an app or a passkey was set up, or the user asked for new codes. */
export type CodesOccasion = 'app' | 'passkey' | 'reissue';

/** New codes that wait for the confirmation of their user. */
export interface ShownCodes {
  readonly codes: readonly string[];
  readonly occasion: CodesOccasion;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/** Who may see the codes. */
export interface CodesOwner {
  readonly subject: string;
  /** The session that created them. */
  readonly requestedBy: string;
}
