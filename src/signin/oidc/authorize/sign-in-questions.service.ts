import { Injectable } from '@nestjs/common';
import { ServletProperties } from '../../../platform/http/server.properties.js';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { LANGUAGES } from '../../../identity/account/language.js';
import { listOf, writtenParameters } from './parameters.js';
import { askedBy, pathOf } from './question-paths.js';
import type { LocatedRequest } from './request-reader.service.js';
import type { Question } from './sign-in-decision.js';
import type { Asked } from './stored-request.js';
import { StoredRequestStore } from './stored-request.store.js';

/** Sends browsers to the pages that ask for more; the request waits in its row. */
@Injectable()
export class SignInQuestions {
  private readonly contextPath: string;

  constructor(
    private readonly requests: StoredRequestStore,
    private readonly work: UnitOfWork,
    { contextPath }: ServletProperties,
  ) {
    this.contextPath = contextPath;
  }

  async ask(question: Question, located: LocatedRequest, reply: Reply): Promise<void> {
    const { parameters } = located;
    const locales = listOf(parameters.get('ui_locales')).map((tag) => tag.toLowerCase().split('-')[0]);
    const hints = {
      loginHint: parameters.get('login_hint'),
      language: locales.find((locale) => LANGUAGES.some((language) => language === locale)),
    };
    reply.seeOther(pathOf(question, this.contextPath, await this.store(located, askedBy(question)), hints));
  }

  /** Stores the request, and returns the path at which it goes on. */
  async store({ target: { client }, parameters, stored }: LocatedRequest, asked?: Asked): Promise<string> {
    const uri = await this.work.single(async (tx) => {
      if (!stored) return this.requests.insert(tx, client.id, writtenParameters(parameters), asked);
      if (asked !== undefined) await this.requests.markAsked(tx, stored.uri, asked);
      return stored.uri;
    });
    const query = `client_id=${encodeURIComponent(client.id)}&request_uri=${encodeURIComponent(uri)}`;
    return `${this.contextPath}/authorize?${query}`;
  }
}
