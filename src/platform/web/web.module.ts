import {
  type ArgumentMetadata,
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Injectable,
  Module,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { AcceptGuard } from './accept.guard.js';
import { NoBodyGuard } from './no-body.guard.js';
import { fieldErrors } from './schema.js';

/** Passes every error of a handler or guard to the listener, which sends all error responses (error-responder.ts). */
@Catch()
class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const error =
      thrown instanceof Error ? thrown : new Error('something that is no error was thrown', { cause: thrown });
    host.switchToHttp().getResponse<FastifyReply>().send(error);
  }
}

/**
 * Validates what a route declares with a schema: `@Body({ schema })`, `@Query({ schema })`, `@Query('limit', { schema })`,
 * `@Param('id', { schema })`. An invalid value is 400 `VALIDATION_FAILED`; the handler gets the output of the schema.
 */
@Injectable()
class SchemaPipe implements PipeTransform {
  async transform(value: unknown, { type, schema, data }: ArgumentMetadata): Promise<unknown> {
    if (!schema || type === 'custom') return value;
    // A missing body equals an empty object. Arrays are rejected here, because an object schema might accept them.
    const input = type === 'body' && value === undefined ? {} : value;
    if (Array.isArray(input))
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: data ?? '', code: 'type' }] });
    const result = await schema['~standard'].validate(input);
    if (result.issues) throw new ServiceError('VALIDATION_FAILED', { errors: fieldErrors(result.issues, data) });
    return result.value;
  }
}

/** Global filter, guards and pipe of all controllers: problem bodies, `Accept`, schemas. */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useClass: AcceptGuard },
    { provide: APP_GUARD, useClass: NoBodyGuard },
    { provide: APP_PIPE, useClass: SchemaPipe },
  ],
})
export class WebModule {}
