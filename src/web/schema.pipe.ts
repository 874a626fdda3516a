import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import { fieldErrors } from './schema.js';

/**
 * Judges what a route declares as its shape: `@Body({ schema })`, `@Query({ schema })`, `@Query('limit', { schema })`,
 * `@Param('id', { schema })`. What does not fit is 400 `VALIDATION_FAILED`; the handler gets what the schema made of it.
 */
@Injectable()
export class ShapePipe implements PipeTransform {
  async transform(value: unknown, { type, schema, data }: ArgumentMetadata): Promise<unknown> {
    if (!schema || type === 'custom') return value;
    // No body at all counts as one without members; a list has no members, so a schema might take it for one.
    const given = type === 'body' && value === undefined ? {} : value;
    if (Array.isArray(given))
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: data ?? '', code: 'type' }] });
    const result = await schema['~standard'].validate(given);
    if (result.issues) throw new ServiceError('VALIDATION_FAILED', { errors: fieldErrors(result.issues, data) });
    return result.value;
  }
}
