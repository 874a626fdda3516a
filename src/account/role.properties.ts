import { full } from '../config/effect.js';
import { list, text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('app.security')
export class RoleProperties {
  @Key(list(text({ form: /^ROLE_[A-Z][A-Z0-9_]{0,58}$/, called: 'names of roles such as ROLE_AUDITOR' })), {
    does:
      'Roles of this deployment besides ROLE_USER, ROLE_ADMIN and ROLE_MANAGEMENT; lets config check find misspelled ' +
      'role names. It assigns no role.',
    effect: full,
  })
  readonly roles: readonly string[] = [];
}
