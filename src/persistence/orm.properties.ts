import { notYet } from '../config/bind/effect.js';
import { oneOf } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

type DdlAuto = 'none' | 'validate' | 'update' | 'create' | 'create-drop';

@Properties('app.jpa.orm')
export class OrmProperties {
  @Key(oneOf('none', 'validate', 'update', 'create', 'create-drop'), {
    does:
      'What happens to the tables at the start, after the migrations: none nothing, validate fails on a difference, ' +
      'update adds what is missing, create and create-drop DELETE all data.',
    effect: notYet('N'),
  })
  readonly ddlAuto: DdlAuto = 'none';
}
