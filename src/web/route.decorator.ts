import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WithRouteOptions } from '../http/route-options.decorator.js';
import { type IncomingUpload, uploadOf } from '../http/upload/uploads.js';

/**
 * Errors of the route are pages if the caller prefers HTML. `backTo` is the path, below the context path, that these
 * pages link to.
 */
export const ErrorPages = (backTo: string): MethodDecorator => WithRouteOptions({ errorPages: { backTo } });

/** The route takes a form instead of JSON (e.g. RFC 7662 section 2.1). */
export const FormBody = (): MethodDecorator => WithRouteOptions({ takesForm: true });

/** The route takes `multipart/form-data` instead of JSON. */
export const UploadBody = (): MethodDecorator => WithRouteOptions({ takesUpload: true });

/** Parameter: the upload, an `IncomingUpload`. Nothing of it is read before all guards and other parameters are done. */
export const Upload = createParamDecorator((_data: unknown, context: ExecutionContext): IncomingUpload => {
  const http = context.switchToHttp();
  return uploadOf(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});
