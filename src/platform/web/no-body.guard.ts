import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ServiceError } from '../../kernel/errors/service-error.js';

/** Rejects members in the body of a route without `@Body()`: all of them are unknown (http-api section 1). */
@Injectable()
export class NoBodyGuard implements CanActivate {
  private readonly takesBody = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<{ readonly body: unknown }>();
    if (body === undefined || this.hasBodyParameter(context)) return true;
    const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
    if (!isEmpty) throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: '', code: 'unknown' }] });
    return true;
  }

  private hasBodyParameter(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const known = this.takesBody.get(handler);
    if (known !== undefined) return known;
    const takesBody = bodyParameters(context.getClass(), handler.name).length > 0;
    this.takesBody.set(handler, takesBody);
    return takesBody;
  }
}

/** Parameters of a handler that take its body; Nest stores their metadata as `<kind>:<index>`. */
function bodyParameters(controller: Type, handler: string): readonly string[] {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as object | undefined;
  return Object.keys(parameters ?? {}).filter((name) => name.startsWith(`${RouteParamtypes.BODY}:`));
}
