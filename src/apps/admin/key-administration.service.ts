import { Injectable } from '@nestjs/common';
import { KeyRotation, type Rotated } from '../../identity/token/keys/key-rotation.service.js';
import type { Act } from './act.js';
import { AdminActs } from './admin-acts.service.js';

/** Rotates the signing keys for an administrator over HTTP. */
@Injectable()
export class KeyAdministration {
  constructor(
    private readonly rotation: KeyRotation,
    private readonly acts: AdminActs,
  ) {}

  /** Publishes a next key for each purpose that has none, and returns the next keys. @throws ServiceError `ACCESS_DENIED` */
  rotate(act: Act): Promise<readonly Rotated[]> {
    return this.acts.perform({ name: 'rotateKeys' }, undefined, act, () => this.rotation.rotate({ actor: act.actor }));
  }
}
