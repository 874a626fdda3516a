import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import { fieldErrors } from './schema.js';

/**
 * Validates what a route declares with a schema: `@Body({ schema })`, `@Query({ schema })`, `@Query('limit', { schema })`,
 * `@Param('id', { schema })`. An invalid value is 400 `VALIDATION_FAILED`; the handler gets the output of the schema.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  async transform(value: unknown, { type, schema, data }: ArgumentMetadata): Promise<unknown> {
    if (!schema || type === 'custom') return value;
    // A missing body equals an empty object. An array is refused here, because an object schema might accept it.
    const given = type === 'body' && value === undefined ? {} : value;
    if (Array.isArray(given))
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: data ?? '', code: 'type' }] });
    const result = await schema['~standard'].validate(given);
    if (result.issues) throw new ServiceError('VALIDATION_FAILED', { errors: fieldErrors(result.issues, data) });
    return result.value;
  }
}
