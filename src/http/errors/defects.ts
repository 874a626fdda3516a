import { type ErrorCode, STATUS } from '../../errors/error-code.js';
import { serviceErrorOf } from './problem.js';

/** The code of an error that the service, not the caller, has caused; undefined for all other errors. */
export function defectCode(error: unknown): ErrorCode | undefined {
  const { code, facts } = serviceErrorOf(error);
  // Overload is counted elsewhere and has no cause; a failure has one.
  return STATUS[code] < 500 || (code === 'UNAVAILABLE' && facts.cause === undefined) ? undefined : code;
}
