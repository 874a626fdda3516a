import { Injectable } from '@nestjs/common';
import { SIGN_OUT_PATH } from '../../auth/page-paths.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { PageForms } from '../form/page-forms.service.js';
import type { NavigationFields, Section } from './navigation.js';

/** Creates the navigation for a signed-in user. */
@Injectable()
export class Navigation {
  constructor(private readonly forms: PageForms) {}

  for(caller: FullPrincipal, section: Section): NavigationFields {
    return { section, sections: ['home', 'security'], signOut: this.forms.forCaller(SIGN_OUT_PATH, caller) };
  }
}
