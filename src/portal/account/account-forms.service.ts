import { Injectable } from '@nestjs/common';
import { ACCOUNT_PAGES } from '../../auth/page-paths.js';
import { withoutUndefined } from '../../collections/without-undefined.js';
import { ServiceError } from '../../errors/service-error.js';
import type { PagePart, View } from '../../http/page/view.js';
import type { FullPrincipal } from '../../principal/principal.js';
import { PageForms } from '../form/page-forms.service.js';
import { Navigation } from '../home/navigation.service.js';
import { CodePages } from '../second-factor/code-pages.service.js';
import type { AccountFormFields } from './account-forms.js';
import type { Done } from './account.schema.js';
import { InlineStepUp } from './inline-step-up.service.js';

/** The forms of account security: each asks for a code if the last proof of the second factor is too old. */
@Injectable()
export class AccountForms {
  constructor(
    private readonly forms: PageForms,
    private readonly navigation: Navigation,
    private readonly stepUp: InlineStepUp,
    private readonly pages: CodePages,
  ) {}

  fields(caller: FullPrincipal, path: string, alert?: PagePart): AccountFormFields {
    return {
      ...this.forms.forCaller(path, caller),
      navigation: this.navigation.for(caller, 'security'),
      asksForCode: this.stepUp.isNeeded(caller),
      ...withoutUndefined({ alert }),
    };
  }

  /** Runs the step of the form at `path`; an error of the code shows the form again, or the lock. */
  showingErrors<T>(
    caller: FullPrincipal,
    path: string,
    page: (fields: AccountFormFields) => View,
    step: () => Promise<T>,
  ): Promise<T> {
    const withoutCode = async (): Promise<T> => {
      try {
        return await step();
      } catch (error) {
        // The proof has become too old since the form was shown: the form then asks for a code.
        if (!(error instanceof ServiceError) || error.code !== 'STEP_UP_REQUIRED') throw error;
        throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'code', code: 'required' }] });
      }
    };
    const again = (alert: PagePart): View => page(this.fields(caller, path, alert));
    return this.pages.showingErrors(caller, this.urlOf(path), again, withoutCode);
  }

  /** The overview, which tells what was done. */
  overviewAfter(done: Done): { readonly url: string } {
    return { url: `${this.urlOf(ACCOUNT_PAGES.security)}?done=${done}` };
  }

  urlOf(path: string): string {
    return this.forms.contextPath + path;
  }
}
