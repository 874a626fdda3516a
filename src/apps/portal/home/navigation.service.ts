import { Injectable } from '@nestjs/common';
import { ROLE_ADMIN, ROLE_HELPDESK } from '../../../identity/account/account.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SIGN_OUT_PATH } from '../../../signin/auth/page-paths.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { PageForms } from '../form/page-forms.service.js';
import type { NavigationFields, Section } from './navigation.js';

const ADMINISTRATORS = [ROLE_ADMIN, ROLE_HELPDESK];

/** Creates the navigation for a signed-in user. */
@Injectable()
export class Navigation {
  constructor(private readonly forms: PageForms) {}

  for(caller: FullPrincipal, section: Section): NavigationFields {
    const isStaff = ADMINISTRATORS.some((role) => caller.roles.includes(role));
    const sections: readonly Section[] = isStaff ? ['home', 'security', 'administration'] : ['home', 'security'];
    const { displayName: name } = caller;
    return { section, sections, ...withoutUndefined({ name }), signOut: this.forms.forCaller(SIGN_OUT_PATH, caller) };
  }
}
