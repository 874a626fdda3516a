import { withoutUndefined } from '../../collections/without-undefined.js';
import { SetMetadata } from '@nestjs/common';
import type { GenericSchema } from 'valibot';
import { WithRouteOptions } from '../../http/route-options.decorator.js';
import type { OperationOptions, TagOptions } from './operation.js';

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
