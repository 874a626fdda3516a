import { applyDecorators, Post } from '@nestjs/common';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { Operation } from '../../../platform/web/route.decorator.js';
import { SendsOnAdmin } from '../page.decorator.js';
import { actOperation } from './admin.openapi.js';

interface ActRouteOptions {
  /** Path of the page with the form; defaults to the path of the act. */
  readonly page?: string;
  readonly errors?: readonly ErrorCode[];
}

/** A route that accepts a form about a user and redirects. */
export const ActRoute = (
  act: string,
  summary: string,
  { page = act, errors = [] }: ActRouteOptions = {},
): MethodDecorator =>
  applyDecorators(
    Post(`${ADMIN_PAGES.user}/${act}`),
    SendsOnAdmin(`${ADMIN_PAGES.user}/${page}`),
    Operation(actOperation(summary, errors)),
  );
