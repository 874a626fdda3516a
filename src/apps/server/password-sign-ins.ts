import type { IncomingHttpHeaders } from 'node:http';
import type { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import type { PasswordHasher } from '../../identity/account/password/password-hasher.js';
import type { HashPace, PasswordWork } from '../../platform/http/admission/password-queue.js';
import { DEVICE } from '../../signin/auth/cookies.js';

const UNKNOWN: HashPace = { workers: 1, millis: undefined };
/** Each value costs a signature, under overload, too. */
const MAX_VALUES = 4;
const VALUES = new RegExp(`(?:^|;\\s*)${DEVICE}=([^;\\s]+)`, 'g');

/** Tells the listener about sign-ins with a password; the listener is created before the services that know. */
export class PasswordSignIns implements PasswordWork {
  private hasher: PasswordHasher | undefined;
  private devices: DeviceCookies | undefined;

  connect(hasher: PasswordHasher, devices: DeviceCookies): void {
    this.hasher = hasher;
    this.devices = devices;
  }

  pace(): HashPace {
    return this.hasher?.pace ?? UNKNOWN;
  }

  ownerOfDevice({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    // A browser may send several, and has no way to tell which one is ours.
    for (const [, value = ''] of [...cookie.matchAll(VALUES)].slice(0, MAX_VALUES)) {
      const known = this.devices?.verify(value);
      if (known) return known.subject;
    }
    return undefined;
  }
}
