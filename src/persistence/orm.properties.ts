import { notYet } from '../config/effect.js';
import { oneOf } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

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
