import { full } from '../../../src/config/bind/effect.js';
import { integer } from '../../../src/config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../../src/config/bind/properties-class.js';
import { Key, Properties } from '../../../src/config/bind/properties.decorator.js';

/** A class with several rules, each of which can be broken beside the others. */
@Properties('app.sample')
export class LimitsProperties implements SelfChecking {
  @Key(integer(), { does: 'Least number.', effect: full })
  readonly least: number = 1;

  @Key(integer(), { does: 'Usual number.', effect: full })
  readonly usual: number = 5;

  @Key(integer(), { does: 'Greatest number.', effect: full })
  readonly greatest: number = 9;

  violations(): readonly Violation[] {
    const broken: Violation[] = [];
    if (this.usual < this.least) {
      broken.push({ property: 'usual', against: ['least'], reason: `must not be below least, ${this.least}` });
    }
    if (this.greatest < this.usual) {
      broken.push({ property: 'greatest', against: ['usual'], reason: `must not be below usual, ${this.usual}` });
    }
    return broken;
  }
}
