import { applyDecorators, Post } from '@nestjs/common';
import { ADMIN_PAGES } from '../../auth/page-paths.js';
import { Operation } from '../../web/route.decorator.js';
import { SendsOnAdmin } from '../page.decorator.js';
import { actOperation } from './admin.openapi.js';

/** Takes a form about a user and redirects; the form is on the page at the path `page`, by default the same one. */
export const ActRoute = (act: string, summary: string, page = act): MethodDecorator =>
  applyDecorators(
    Post(`${ADMIN_PAGES.user}/${act}`),
    SendsOnAdmin(`${ADMIN_PAGES.user}/${page}`),
    Operation(actOperation(summary)),
  );
