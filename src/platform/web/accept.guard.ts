import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HEADERS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { acceptsType } from './media-ranges.js';
import type { HttpRequest } from './http-request.js';
import { HTML } from '../http/page/layout.js';
import type { RouteOptions } from '../http/route-options.decorator.js';

const JSON_TYPE = 'application/json';

/** Rejects with 406, before the handler runs, if the caller accepts no media type of the route. */
@Injectable()
export class AcceptGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<HttpRequest>().headers;
    const types = this.typesOf(context);
    // A response without a body has no media type.
    if (accept === undefined || types.length === 0 || types.some((type) => acceptsType(accept, type))) return true;
    throw new ServiceError('NOT_ACCEPTABLE');
  }

  /** Media types of the route, and HTML if its errors may be pages. */
  private typesOf(context: ExecutionContext): readonly string[] {
    const facts = this.reflector.get<RouteOptions | undefined>(FASTIFY_ROUTE_CONFIG_METADATA, context.getHandler());
    return [...(facts?.mediaTypes ?? [this.typeOf(context)]), ...(facts?.errorPages ? [HTML] : [])];
  }

  /** Media type in `@Header('content-type', …)`; JSON without it. */
  private typeOf(context: ExecutionContext): string {
    const headers = this.reflector.get<readonly { name: string; value: unknown }[] | undefined>(
      HEADERS_METADATA,
      context.getHandler(),
    );
    const declared = headers?.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
    return typeof declared === 'string' ? declared : JSON_TYPE;
  }
}
