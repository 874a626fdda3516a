import { Injectable } from '@nestjs/common';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { KeyRotation } from './key-rotation.service.js';
import { SigningKeys } from './signing-keys.service.js';

const INTERVAL_MILLIS = 30_000;

/**
 * Keeps the signing keys current, and reloads them so that a key from another process is known before it signs. A failed
 * turn keeps the keys in use.
 */
@Injectable()
export class SigningKeyRefresh {
  constructor(rotation: KeyRotation, keys: SigningKeys, tasks: ScheduledTasks) {
    tasks.repeat(
      'SigningKeyRefresh.refresh',
      { kind: 'fixedRate', initialDelayMillis: INTERVAL_MILLIS, intervalMillis: INTERVAL_MILLIS },
      async () => {
        await rotation.keepUp();
        await keys.reload();
      },
    );
  }
}
