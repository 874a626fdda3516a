import { full } from '../config/bind/effect.js';
import { list, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';
import { ROLE_FORM } from './role-names.js';

@Properties('app.security')
export class RoleProperties {
  @Key(list(text({ form: ROLE_FORM, called: 'names of roles such as ROLE_AUDITOR' })), {
    does:
      'Roles of this deployment besides ROLE_USER, ROLE_ADMIN and ROLE_MANAGEMENT; lets config check find misspelled ' +
      'role names. It assigns no role.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}
