import { type ErrorCode, STATUS } from '../../errors/error-code.js';
import { serviceErrorOf } from './problem.js';

/** The code of what the service, not the caller, is to blame for; undefined for a plain refusal. */
export function defectCode(error: unknown): ErrorCode | undefined {
  const { code, facts } = serviceErrorOf(error);
  // Overload refuses many and says so elsewhere; something that broke brings its cause.
  return STATUS[code] < 500 || (code === 'UNAVAILABLE' && facts.cause === undefined) ? undefined : code;
}
