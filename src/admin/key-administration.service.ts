import { Injectable } from '@nestjs/common';
import { withStated } from '../principal/command-context.js';
import { KeyRotation, type Rotated } from '../token/keys/key-rotation.service.js';
import { type Act, demandAdministrator, validStated } from './act.js';

/** Rotates the signing keys for an administrator over HTTP. */
@Injectable()
export class KeyAdministration {
  constructor(private readonly rotation: KeyRotation) {}

  /** Publishes a next key for each purpose that has none, and returns the next keys. @throws ServiceError `ACCESS_DENIED` */
  rotate(act: Act): Promise<readonly Rotated[]> {
    demandAdministrator(act);
    return withStated(validStated(act, false), () => this.rotation.rotate({ actor: act.actor }));
  }
}
