import { Injectable } from '@nestjs/common';
import { Accounts } from '../../../identity/account/accounts.service.js';
import {
  LANGUAGE_COOKIE,
  languageCookie,
  rememberedLanguage,
  requestedLanguage,
} from '../../../platform/http/page/page-language.js';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { type Language, LANGUAGES } from '../../../identity/account/language.js';
import type { Reply } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';

/** Synchronizes the language of the account, which mails use, with that of the browser. */
@Injectable()
export class SignInLanguage {
  private readonly contextPath: string;

  constructor(
    private readonly accounts: Accounts,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  /** Gives a new browser the language of the user, and an account without a language that of the browser. */
  async settle(subject: string, chosen: Language | undefined, request: HttpRequest, reply: Reply): Promise<void> {
    if (chosen === undefined) {
      const language = requestedLanguage(request.headers, LANGUAGES);
      if (language !== undefined) await this.accounts.setLanguage(subject, language, { unlessChosen: true });
    } else if (rememberedLanguage(request.headers, LANGUAGES) === undefined) {
      reply.setCookie(LANGUAGE_COOKIE, chosen, languageCookie(this.contextPath, request.protocol === 'https'));
    }
  }
}
