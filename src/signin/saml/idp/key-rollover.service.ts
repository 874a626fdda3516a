import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import { Idps } from './idps.service.js';
import { MetadataRefresh } from './metadata-refresh.task.js';

const MIN_INTERVAL_MILLIS = 60_000;
/** How long a login waits for the metadata. */
const MAX_WAIT_MILLIS = 5_000;

/** An extra reading of metadata. */
interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly done: Promise<void>;
}

/**
 * Reads the metadata of an identity provider once more when a signature fits none of its certificates, because it may have
 * replaced its key. At most once a minute for each provider: anyone can send a wrong signature.
 */
@Injectable()
export class KeyRollover {
  private readonly lastReadings = new Map<string, Reading>();

  constructor(
    private readonly refresh: MetadataRefresh,
    private readonly clock: Clock,
    idps: Idps,
  ) {
    idps.setRenewal((name) => this.renew(name));
  }

  /** Resolves after a reading, which concurrent callers share, or after the longest wait. */
  private async renew(name: string): Promise<void> {
    await withTimeout(this.reading(name).done, MAX_WAIT_MILLIS, () => undefined);
  }

  private reading(name: string): Reading {
    const now = this.clock.millis();
    const last = this.lastReadings.get(name);
    // A clock that was set back must not prevent readings.
    if (last && Math.abs(now - last.at) < MIN_INTERVAL_MILLIS) return last;
    const reading = { at: now, done: this.refresh.refreshNow(name) };
    this.lastReadings.set(name, reading);
    return reading;
  }
}
