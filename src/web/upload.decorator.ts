import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WithRouteOptions } from '../http/route-options.decorator.js';
import { type IncomingUpload, uploadOf } from '../http/upload/uploads.js';

/** The route takes `multipart/form-data` instead of JSON. */
export const UploadBody = (): MethodDecorator => WithRouteOptions({ takesUpload: true });

/** Parameter: the upload, an `IncomingUpload`; guards and other parameters are done before anything of it is read. */
export const Upload = createParamDecorator((_data: unknown, context: ExecutionContext): IncomingUpload => {
  const http = context.switchToHttp();
  return uploadOf(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});
