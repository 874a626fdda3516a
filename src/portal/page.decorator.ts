import { applyDecorators, Header, Redirect } from '@nestjs/common';
import { string } from 'valibot';
import { SIGN_IN_PAGE } from '../auth/page-paths.js';
import { HTML } from '../http/page/layout.js';
import type { View } from '../http/page/view.js';
import { PageRoute } from '../principal/access.decorator.js';
import { FormBody, ErrorPages, ResponseSchema } from '../web/route.decorator.js';

/** A page, or an empty body beside a redirect. */
export type PageResult = View | '';

/** The route responds with a page; its error pages link to the sign-in page. */
export const Page = (): MethodDecorator =>
  applyDecorators(PageRoute(), ErrorPages(SIGN_IN_PAGE), ResponseSchema(string()), Header('content-type', HTML));

/** A page of signed-in users: it redirects a visitor without a session to the sign-in page, and back afterwards. */
export const AccountPage = (): MethodDecorator =>
  applyDecorators(Page(), ErrorPages(SIGN_IN_PAGE, { redirectsVisitors: true }));

/** The route accepts the form of a page and redirects to the `url` that it returns. */
export const SendsOn = (): MethodDecorator =>
  applyDecorators(PageRoute(), ErrorPages(SIGN_IN_PAGE), FormBody(), Redirect('', 303));
