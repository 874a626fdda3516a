import { applyDecorators, Header, Redirect } from '@nestjs/common';
import { string } from 'valibot';
import { SECOND_FACTOR_PAGES, SIGN_IN_PAGE } from '../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { ErrorPageOptions } from '../../platform/http/route-options.decorator.js';
import { HTML } from '../../platform/http/page/layout.js';
import type { View } from '../../platform/http/page/view.js';
import { PageRoute } from '../../kernel/principal/access.decorator.js';
import { FormBody, ErrorPages, ResponseSchema } from '../../platform/web/route.decorator.js';

/** A page, or an empty body after a redirect. */
export type PageResult = View | '';

const OF_HALF = { secondStepAt: SECOND_FACTOR_PAGES.verify } as const;

/** The route responds with a page; its error pages link to the sign-in page. */
export const Page = (): MethodDecorator =>
  applyDecorators(
    PageRoute(),
    ErrorPages(SIGN_IN_PAGE, OF_HALF),
    ResponseSchema(string()),
    Header('content-type', HTML),
  );

const LEADS_TO_SIGN_IN = { ...OF_HALF, redirectsVisitors: true } as const;

/**
 * A page of signed-in users: it redirects a visitor without a session to the sign-in page, and leads a half-authenticated one to
 * the second step, and back afterwards.
 */
export const AccountPage = (): MethodDecorator => applyDecorators(Page(), ErrorPages(SIGN_IN_PAGE, LEADS_TO_SIGN_IN));

/**
 * A page of administrators: it redirects users without a recent proof of the second factor to prove it, and back
 * afterwards. A page that responds to a form names the `formPage` with that form.
 */
export const AdminPage = (formPage?: string): MethodDecorator =>
  applyDecorators(Page(), ErrorPages(SIGN_IN_PAGE, { ...LEADS_TO_SIGN_IN, ...ofForm(formPage) }));

/** The route accepts the form of a page and redirects to the `url` that it returns. */
export const SendsOn = (options: Pick<ErrorPageOptions, 'redirectsForms'> = {}): MethodDecorator =>
  applyDecorators(PageRoute(), ErrorPages(SIGN_IN_PAGE, { ...OF_HALF, ...options }), FormBody(), Redirect('', 303));

/**
 * The route accepts the form of an `AdminPage`, whose path template is `formPage`, and redirects to the `url` that it
 * returns.
 */
export const SendsOnAdmin = (formPage: string): MethodDecorator =>
  applyDecorators(
    PageRoute(),
    ErrorPages(SIGN_IN_PAGE, { ...OF_HALF, ...ofForm(formPage) }),
    FormBody(),
    Redirect('', 303),
  );

function ofForm(formPage: string | undefined): Pick<ErrorPageOptions, 'stepUpAt' | 'formPage'> {
  return withoutUndefined({ stepUpAt: SECOND_FACTOR_PAGES.verify, formPage });
}
