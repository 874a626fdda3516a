import type { Operation } from './operation.js';

/** An endpoint that can be called, as far as exposure and access leave it. */
export interface ExposedEndpoint {
  readonly id: string;
  /** What stands for it in paths; its id unless a key says otherwise. */
  readonly segment: string;
  readonly isPublic: boolean;
  readonly requiresOtpToRead: boolean;
  readonly operations: readonly Operation[];
  /** How long answers to reads without parameters are given again, in milliseconds. */
  readonly timeToLiveMillis: number;
}
