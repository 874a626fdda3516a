import type { LevelChanged } from './log-levels.js';

/** Records who changed which level; the product provides it. */
export abstract class LevelAudit {
  /** Records the changes that took effect; never fails its caller. */
  abstract record(changes: readonly LevelChanged[], by: string, reason?: string): Promise<void>;
}
