import { applyDecorators, UseGuards, UseInterceptors } from '@nestjs/common';
import { RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';
import type { RouteGroup } from '../../../platform/rate-limit/route-group.js';
import { ApiTag } from '../../../platform/web/route.decorator.js';
import { FormAnswers } from './form-answers.service.js';
import { FormTokenGuard } from './form-token.guard.js';

/** A controller of pages with forms, whose CSRF tokens are verified; `group` has the rate limits of its routes. */
export const FormPages = (group: RouteGroup): ClassDecorator =>
  applyDecorators(UseGuards(FormTokenGuard), UseInterceptors(FormAnswers), ApiTag('Pages'), RateLimited(group));

/** A controller of pages for administrators with a recent second factor; a handler may admit other roles as well. */
export const AdminFormPages = (): ClassDecorator =>
  applyDecorators(FormPages('administration'), RequireAuthority('ROLE_ADMIN'), RequireMfa({ maxAge: 300 }));
