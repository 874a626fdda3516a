import type { GenericSchema } from 'valibot';
import type { ErrorCode } from '../../errors/error-code.js';

/** Says in `by` that a route also takes callers who show nothing. */
export const NOBODY = 'nobody';

/** What the description of the interface says of a route beside what its code says by itself; texts are Markdown. */
export interface OperationFacts {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly about?: string;
  /** Codes that the route itself answers, beside those of guards and shapes. */
  readonly refuses?: readonly ErrorCode[];
  /** Answers 303 as well, which sends the browser on. */
  readonly sendsOn?: true;
  /** Names of the cookies that come with the good answer. */
  readonly sets?: readonly string[];
  /** Names of the security schemes of an open route that looks at something itself. */
  readonly by?: readonly string[];
  /** The shape of a body that the route judges itself. */
  readonly takes?: GenericSchema;
}

/** A chapter of the description. */
export interface GroupFacts {
  readonly name: string;
  readonly about?: string;
}
