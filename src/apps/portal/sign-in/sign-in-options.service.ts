import { Injectable } from '@nestjs/common';
import { PasswordProperties } from '../../../identity/account/account.properties.js';
import { Clients } from '../../../identity/client/clients.service.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { MailQueue } from '../../../platform/mail/mail-queue.service.js';
import { RECOVERY_PAGES, withReturnTo } from '../../../signin/auth/page-paths.js';
import { Idps } from '../../../signin/saml/idp/idps.service.js';
import type { SignInFields } from './sign-in-page.js';

/** Reads the choices of the sign-in page from the configuration. */
@Injectable()
export class SignInOptions {
  private readonly contextPath: string;

  constructor(
    private readonly idps: Idps,
    private readonly passwords: PasswordProperties,
    private readonly mails: MailQueue,
    private readonly clients: Clients,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** `returnTo` has been resolved; it names the application of an authorization request. */
  of(returnTo: string): Pick<SignInFields, 'minLength' | 'idps' | 'recovery' | 'application'> {
    const forgot = withReturnTo(this.contextPath + RECOVERY_PAGES.forgot, returnTo);
    const recovery = this.mails.isEnabled ? forgot : undefined;
    const application = this.applicationOf(returnTo);
    return {
      minLength: this.passwords.minLength,
      idps: this.idps.list(),
      ...withoutUndefined({ recovery, application }),
    };
  }

  private applicationOf(returnTo: string): SignInFields['application'] {
    const [path, query] = returnTo.split('?', 2);
    const id = path === `${this.contextPath}/authorize` ? new URLSearchParams(query).get('client_id') : null;
    return id === null ? undefined : this.clients.find(id);
  }
}
