import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type IncomingUpload, uploadOf } from '../http/upload/uploads.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { GenericSchema } from 'valibot';
import { type ErrorPageOptions, WithRouteOptions } from '../http/route-options.decorator.js';
import type { OperationOptions, TagOptions } from './openapi/operation.js';

/**
 * Errors of the route are pages if the caller prefers HTML. `backTo` is the path, below the context path, that these
 * pages link to.
 */
export const ErrorPages = (backTo: string, options: Omit<ErrorPageOptions, 'backTo'> = {}): MethodDecorator =>
  WithRouteOptions({ errorPages: { backTo, ...options } });

/** Scripts of applications, on sites of their own, may read the response; they send no cookies. */
export const ForApplications = (): MethodDecorator => WithRouteOptions({ isForApplications: true });

/** A proxy passes the route at hosts of applications to this service: responses demand no https there, nor below that host. */
export const AtApplications = (): MethodDecorator => WithRouteOptions({ isAtApplications: true });

/** The route takes a form instead of JSON (e.g. RFC 7662 section 2.1). */
export const FormBody = (): MethodDecorator => WithRouteOptions({ takesForm: true });

/** The route takes a form of a client of OAuth, which is told of an unreadable one in the form of RFC 6749 section 5.2. */
export const OAuthForm = (): MethodDecorator => WithRouteOptions({ takesForm: true, hasOAuthErrors: true });

/** The route takes `multipart/form-data` instead of JSON. */
export const UploadBody = (): MethodDecorator => WithRouteOptions({ takesUpload: true });

/** The route hashes a password for callers who are not signed in, so admission also limits it by the time of a hash. */
export const HashesPassword = (): MethodDecorator => WithRouteOptions({ hashesPassword: true });

/** Parameter: the upload, an `IncomingUpload`. Nothing of it is read before all guards and other parameters are done. */
export const Upload = createParamDecorator((_data: unknown, context: ExecutionContext): IncomingUpload => {
  const http = context.switchToHttp();
  return uploadOf(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/** The response has one of these media types, which the request chooses; without any, it has no body. */
export const MediaTypes = (...mediaTypes: readonly string[]): MethodDecorator => WithRouteOptions({ mediaTypes });

/** Metadata keys that `routes.ts` reads from controllers and handlers. */
export const OPERATION = 'openapi:operation';
export const TAG = 'openapi:tag';

/** Describes a route in the OpenAPI document. */
export const Operation = (options: OperationOptions): MethodDecorator => SetMetadata(OPERATION, options);

/** Groups the routes of a controller under a tag; where controllers share a tag, one of them gives its description. */
export const ApiTag = (name: string, description?: string): ClassDecorator =>
  SetMetadata(TAG, withoutUndefined({ name, description }) satisfies TagOptions);

/** The body of the success response, as the handler returns it; members that are not optional are always sent. */
export const ResponseSchema = (schema: GenericSchema): MethodDecorator => WithRouteOptions({ responseSchema: schema });
