import { Injectable } from '@nestjs/common';
import type { View } from '../../../platform/http/page/view.js';
import type { Reply } from '../../../platform/web/cookies.js';
import { AuthorizationCodes } from '../code/authorization-codes.service.js';
import { OAuthError } from '../oauth-error.js';
import type { ResponseTarget } from './authorization-request.js';
import { AuthorizationResponses } from './authorization-responses.service.js';
import type { Parameters } from './parameters.js';
import { type LocatedRequest, RequestReader } from './request-reader.service.js';
import type { Decision } from './sign-in-decision.js';
import { SignInDecisions } from './sign-in-decisions.service.js';
import { SignInQuestions } from './sign-in-questions.service.js';

/** Answers authorization requests of browsers (OpenID Connect Core section 3.1.2). */
@Injectable()
export class AuthorizationEndpoint {
  constructor(
    private readonly reader: RequestReader,
    private readonly decisions: SignInDecisions,
    private readonly questions: SignInQuestions,
    private readonly codes: AuthorizationCodes,
    private readonly responses: AuthorizationResponses,
  ) {}

  /**
   * Redirects to the application with a code or an error, or to the page that asks the user first.
   * @throws OAuthError for a request that names no application to respond to
   */
  async authorize(sent: Parameters, reply: Reply): Promise<View | ''> {
    const located = await this.reader.locate(sent);
    return this.orError(located.target, reply, async () => {
      const { decision, code } = await this.decide(located, reply);
      if (code !== undefined) return this.responses.send(located.target, { code }, reply);
      if (decision.kind === 'ask') await this.questions.ask(decision.question, located, reply);
      return '';
    });
  }

  /** Redirects a request that arrived by POST to the same request by GET. @throws as `authorize` does */
  async store(sent: Parameters, reply: Reply): Promise<View | ''> {
    const located = await this.reader.locate(sent);
    return this.orError(located.target, reply, async () => {
      await this.reader.read(located);
      reply.seeOther(await this.questions.store(located));
      return '';
    });
  }

  private async decide(
    located: LocatedRequest,
    reply: Reply,
  ): Promise<{ readonly decision: Decision; readonly code?: string }> {
    const request = await this.reader.read(located);
    const { stored } = located;
    const decision = await this.decisions.decide(request, stored, reply);
    if (decision.kind === 'ask') return { decision };
    return { decision, code: await this.codes.issue(request, decision.visitor, stored) };
  }

  private async orError(target: ResponseTarget, reply: Reply, run: () => Promise<View | ''>): Promise<View | ''> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return this.responses.send(target, error.body, reply);
    }
  }
}
