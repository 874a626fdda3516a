/** A secret key of backup code hashes. */
export interface Pepper {
  /** The id that the rows of its codes have; null for the key `pepper`, which had no id. */
  readonly id: string | null;
  readonly secret: string;
}
