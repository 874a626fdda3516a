import { full } from '../../config/bind/effect.js';
import { map, neverUnset, type ScalarType, text } from '../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { sealKey, sealKeyId } from './seal-key.js';

/** Maximum length of an id, that of its column. */
const MAX_ID_LENGTH = 64;

/** An empty value, such as of an unset variable, removes a key that a lower source defines. */
const sealKeyOrNone: ScalarType<Uint8Array> = {
  ...sealKey,
  parse: (value) => (value.trim() === '' ? new Uint8Array() : sealKey.parse(value)),
};

@Properties('app.security.seal')
export class SealProperties implements SelfChecking {
  @Key(map(sealKeyOrNone, 'id'), {
    does:
      'Keys that seal secrets in the database (TOTP keys, signing keys), by id: 32 random bytes in Base64. Keep an ' +
      'old key until "keys rekey" reports that nothing is sealed with it; an empty text then removes it.',
    effect: full,
    secret: true,
    defaultText: 'outside prod, one that is created at the first start, in a file beside the embedded database',
  })
  readonly keys: ReadonlyMap<string, Uint8Array> = new Map();

  // An empty id must not select another key.
  @Key(neverUnset(text()), {
    does: 'Id of the key that seals new secrets; case, dashes and dots of an id are ignored.',
    effect: full,
    defaultText: 'the only key',
  })
  readonly active?: string;

  /** The keys by canonical id. */
  get byId(): ReadonlyMap<string, Uint8Array> {
    const configured = [...this.keys].filter(([, key]) => key.length > 0);
    return new Map(configured.map(([written, key]) => [sealKeyId(written), key]));
  }

  /** Id of the active key; undefined if no key is configured. */
  get activeId(): string | undefined {
    return this.active === undefined ? this.byId.keys().next().value : sealKeyId(this.active);
  }

  violations(): readonly Violation[] {
    const reason = this.reason();
    return reason === undefined ? [] : [{ property: 'active', against: ['keys'], reason }];
  }

  private reason(): string | undefined {
    const { keys, byId } = this;
    const ids = Array.from(keys.keys(), sealKeyId);
    if (new Set(ids).size < ids.length)
      return 'two ids in app.security.seal.keys differ in capitals or punctuation alone';
    const unfit = ids.find((id) => id === '' || id.length > MAX_ID_LENGTH);
    if (unfit !== undefined) return `an id in app.security.seal.keys needs 1 to ${MAX_ID_LENGTH} letters and digits`;
    if (this.active === undefined) return byId.size > 1 ? 'several keys are configured: set the active one' : undefined;
    const active = sealKeyId(this.active);
    if (byId.has(active)) return undefined;
    if (!ids.includes(active)) return 'app.security.seal.keys has no key of that id';
    return `app.security.seal.keys.${this.active} is empty: set it to ${sealKey.expects}`;
  }
}
