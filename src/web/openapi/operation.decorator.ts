import { SetMetadata } from '@nestjs/common';
import type { GroupFacts, OperationFacts } from './operation.js';

/** Metadata keys that the walk over the controllers reads. */
export const OPERATION = 'openapi:operation';
export const GROUP = 'openapi:group';

/** Tells a human what a route is for. */
export const Operation = (facts: OperationFacts): MethodDecorator => SetMetadata(OPERATION, facts);

/** The chapter in which the routes of a controller stand; of several controllers of one chapter, one says what about. */
export const ApiGroup = (name: string, about?: string): ClassDecorator =>
  SetMetadata(GROUP, { name, ...(about !== undefined && { about }) } satisfies GroupFacts);
