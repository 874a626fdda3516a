import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, map, type Observable } from 'rxjs';
import * as v from 'valibot';
import { AuthCookies, FORM_ANSWER } from '../../../signin/auth/cookies.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { html } from '../../../kernel/encoding/html.js';
import { type ErrorCode, STATUS } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { Random } from '../../../kernel/random/random.js';
import { HttpError, httpFactsOf } from '../../../platform/http/errors/http-error.js';
import { prefersPage } from '../../../platform/http/page/layout.js';
import { problemAlert } from '../../../platform/http/page/problem-page.js';
import { type FormAnswer, View } from '../../../platform/http/page/view.js';
import { Sealer, SealFailure } from '../../../platform/sealing/sealer.js';
import { type Reply, replyOf } from '../../../platform/web/cookies.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';

/** The parameter that names the answer which a page shows: no other tab shows it. */
const PARAMETER = 'answer';
const NAME_BYTES = 12;
/** Seconds. */
const LIFETIME = 120;
/** Browsers keep cookies of 4096 bytes. */
const MAX_LENGTH = 3500;

const texts = v.optional(v.record(v.string(), v.string()));
const kept = v.object({
  name: v.string(),
  until: v.number(),
  code: v.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(STATUS, code)),
  requestId: v.string(),
  waitSeconds: v.optional(v.number()),
  field: v.optional(v.string()),
  texts,
  typed: texts,
});

/**
 * Keeps the error of a form for the page that shows the form again, in a sealed cookie: its address then stands in the history
 * in place of the form (docs/decisions/0117-answers-to-forms.md).
 */
@Injectable()
export class FormAnswers implements NestInterceptor {
  constructor(
    private readonly sealer: Sealer,
    private readonly cookies: AuthCookies,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<HttpRequest & { readonly query: unknown }>();
    const reply = replyOf(context);
    if (request.method !== 'POST') return next.handle().pipe(map((result) => this.shown(result, request.query, reply)));
    // Other callers get JSON.
    if (!prefersPage(request.headers.accept)) return next.handle();
    if (reply.cookies[FORM_ANSWER] !== undefined) this.cookies.clearFormAnswer(reply);
    return next.handle().pipe(
      catchError((error: unknown) => {
        throw this.kept(error, reply);
      }),
    );
  }

  /** Returns the same error, with a page at whose address the error is shown again. */
  private kept(error: unknown, reply: Reply): unknown {
    if (!(error instanceof ServiceError)) return error;
    const { page } = httpFactsOf(error);
    if (page?.answer?.typed === undefined || page.needs.address === undefined) return error;
    const name = this.random.text(NAME_BYTES);
    const answer = { ...page.answer, name, until: this.clock.seconds() + LIFETIME };
    const sealed = this.sealer.seal(Buffer.from(JSON.stringify(answer)), FORM_ANSWER);
    // Without its long values, the page at the address is the plain form.
    if (sealed.length > MAX_LENGTH) return error;
    this.cookies.setFormAnswer(reply, sealed, LIFETIME);
    return HttpError.withPage(error, page.at(`${page.needs.address}&${PARAMETER}=${name}`));
  }

  private shown(result: unknown, query: unknown, reply: Reply): unknown {
    const { [PARAMETER]: name } = (query ?? {}) as Readonly<Record<string, unknown>>;
    const sealed = reply.cookies[FORM_ANSWER];
    if (!(result instanceof View) || typeof name !== 'string' || sealed === undefined) return result;
    const answer = this.opened(sealed);
    if (answer?.name !== name || answer.until < this.clock.seconds()) return result;
    return withAlert(result.answering(answer), answer);
  }

  /** Undefined for a cookie that this service has not set. */
  private opened(sealed: string): v.InferOutput<typeof kept> | undefined {
    try {
      const result = v.safeParse(kept, JSON.parse(this.sealer.open(sealed, FORM_ANSWER).toString()));
      return result.success ? result.output : undefined;
    } catch (error) {
      if (error instanceof SealFailure || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** The page of a form, with the error above it. */
function withAlert(page: View, answer: FormAnswer): View {
  return new View((context) => {
    const { body, ...content } = page.compose(context);
    const shown = { ...answer, text: answer.texts?.[context.language], isAboveForm: true };
    return { ...content, body: html`${problemAlert(shown, context)}${body}` };
  }, page.needs);
}
