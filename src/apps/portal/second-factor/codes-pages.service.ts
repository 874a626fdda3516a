import { Injectable } from '@nestjs/common';
import type { CodesOccasion, CodesOwner } from '../../../identity/second-factor/backup-code/shown-codes.js';
import { ShownBackupCodes } from '../../../identity/second-factor/backup-code/shown-backup-codes.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { type Principal, requesterOf } from '../../../kernel/principal/principal.js';
import type { View } from '../../../platform/http/page/view.js';
import { Reauthentication } from '../../../signin/auth/own/reauthentication.service.js';
import { SECOND_FACTOR_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { PageForms } from '../form/page-forms.service.js';
import { codesPage } from './codes-page.js';

/** New backup codes, and why the page shows them. */
export interface NewCodes {
  readonly codes: readonly string[];
  readonly occasion: CodesOccasion;
}

/** The page with new backup codes: the step that creates them redirects to it, so that a reload shows them again. */
@Injectable()
export class CodesPages {
  constructor(
    private readonly shownCodes: ShownBackupCodes,
    private readonly reauthentication: Reauthentication,
    private readonly forms: PageForms,
  ) {}

  /** Keeps the codes for the session; returns the path of their page, which finally redirects to `returnTo`. */
  async keep(owner: CodesOwner, { codes, occasion }: NewCodes, returnTo: string): Promise<string> {
    await this.shownCodes.keep(owner, codes, occasion);
    return withReturnTo(this.forms.contextPath + SECOND_FACTOR_PAGES.codes, returnTo);
  }

  /** The page with the codes of the session; undefined if it has none to show. */
  async page(caller: Principal, returnTo: string): Promise<View | undefined> {
    const shown = await this.shownCodes.find(ownerOf(caller));
    if (!shown) return undefined;
    const { loginId } = await this.reauthentication.accountOf(caller);
    // A registration proves nothing yet, so a half-authenticated user proves the passkey from here.
    const proof =
      caller.kind === 'half' ? this.forms.forCaller(SECOND_FACTOR_PAGES.verify, caller, returnTo) : undefined;
    const saved = this.forms.forCaller(SECOND_FACTOR_PAGES.codes, caller, returnTo);
    return codesPage({ ...shown, loginId, saved, ...withoutUndefined({ proof }) });
  }

  confirm(caller: Principal): Promise<void> {
    return this.shownCodes.confirm(ownerOf(caller));
  }
}

export function ownerOf(caller: Principal): CodesOwner {
  return { subject: caller.subject, requestedBy: requesterOf(caller) };
}
