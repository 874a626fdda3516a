import type { GenericSchema } from 'valibot';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';

/** Entry of `security`: the route also accepts callers without credentials. */
export const ANONYMOUS = 'nobody';

/** Details of a route for the OpenAPI document that its code does not contain; texts are Markdown. */
export interface OperationOptions {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Error codes of the route itself, in addition to those of guards and schemas. */
  readonly errors?: readonly ErrorCode[];
  /** The route also responds with 303, which sends the browser to another page. */
  readonly redirects?: true;
  /** Another success of the route, by the state of the service. */
  readonly also?: { readonly status: number; readonly schema: GenericSchema };
  /** Names of the cookies that the success response sets. */
  readonly cookies?: readonly string[];
  /** Names of the security schemes of a public route that checks credentials itself. */
  readonly security?: readonly string[];
  /** The schema of a body that the route validates itself. */
  readonly body?: GenericSchema;
}

/** A tag of the OpenAPI document, which groups operations. */
export interface TagOptions {
  readonly name: string;
  readonly description?: string;
}
