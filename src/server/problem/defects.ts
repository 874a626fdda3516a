import { STATUS } from '../../errors/error-code.js';
import { printable } from '../../config/failure-report.js';
import { serviceErrorOf } from './problem.js';

/** Longer traces say nothing more. */
const LONGEST_LINE = 8000;

/** Where a line about a failed request goes. */
export type Complain = (line: string) => void;

export const complainOnErrorOutput: Complain = (line) => {
  process.stderr.write(`${line}\n`);
};

/** The line about a request that the service, not the caller, is to blame for; undefined for a plain refusal. */
export function defectLine(error: unknown, request: string, requestId: string): string | undefined {
  const { code, facts } = serviceErrorOf(error);
  // Overload refuses many and says so elsewhere; something that broke brings its cause.
  if (STATUS[code] < 500 || (code === 'UNAVAILABLE' && facts.cause === undefined)) return undefined;
  const causes: string[] = [];
  for (
    let at: unknown = error;
    at !== undefined && causes.length < 5;
    at = at instanceof Error ? at.cause : undefined
  ) {
    causes.push(at instanceof Error ? traceOf(at) : `not an error but ${typeof at}`);
  }
  const told = causes.join(' caused by ').replaceAll(/\s*\n\s*/g, ' | ');
  return printable(`ERROR ${code} ${request} [${requestId}] ${told}`).slice(0, LONGEST_LINE);
}

function traceOf(error: Error): string {
  try {
    return error.stack ?? error.message;
  } catch {
    return 'an error that cannot be read';
  }
}
