import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HEADERS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { ServiceError } from '../errors/service-error.js';
import { accepts } from './accept.js';
import type { HttpRequest } from './http-request.js';

const JSON_TYPE = 'application/json';

/** 406 before anything is done, where the caller takes no form of what the route answers. */
@Injectable()
export class AcceptGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { accept } = context.switchToHttp().getRequest<HttpRequest>().headers;
    if (accept !== undefined && !accepts(accept, this.typeOf(context))) throw new ServiceError('NOT_ACCEPTABLE');
    return true;
  }

  /** What `@Header('content-type', …)` of the route says. */
  private typeOf(context: ExecutionContext): string {
    const headers = this.reflector.get<readonly { name: string; value: unknown }[] | undefined>(
      HEADERS_METADATA,
      context.getHandler(),
    );
    const stated = headers?.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
    return typeof stated === 'string' ? stated : JSON_TYPE;
  }
}
