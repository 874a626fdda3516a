import { Injectable } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import { normalisedLoginId } from './login-id.js';
import { LoginIdProperties } from './account.properties.js';

/** The form of login ids, as configured. */
@Injectable()
export class LoginIds {
  constructor(private readonly properties: LoginIdProperties) {}

  /** Undefined where the text is no login id. */
  formOf(text: string): string | undefined {
    return normalisedLoginId(text, this.properties.caseSensitive);
  }

  /** @throws ServiceError `VALIDATION_FAILED` where the text is no login id */
  normalise(text: string): string {
    const form = this.formOf(text);
    if (form === undefined)
      throw new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'id', code: 'malformed' }] });
    return form;
  }
}
