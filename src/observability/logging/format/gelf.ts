import { hostname } from 'node:os';
import { pid } from 'node:process';
import { jsonLine, jsonParts } from './json-line.js';
import type { LineLevel } from '../level.js';
import type { LineFormat } from '../log-line.js';

/** Severities of syslog (RFC 5424 section 6.2.1). */
const SEVERITIES: Readonly<Record<LineLevel, number>> = { ERROR: 3, WARN: 4, INFO: 6, DEBUG: 7, TRACE: 7 };
/** Characters that GELF 1.1 does not allow in names. */
const NAME_UNSAFE = /[^\w.-]/g;
/** Names that a field of a line must not have; `_id` belongs to Graylog. */
const OWN = new Set([
  ...['_id', '_level_name', '_process_pid', '_process_thread_name', '_log_logger', '_requestId', '_user', '_ip'],
  ...['_traceId', '_spanId', '_error_type', '_error_message', '_error_stack_trace'],
]);
const HOST = hostname();

/** Formats a line in the Graylog Extended Log Format 1.1, in which additional members start with `_`. */
export const gelf: LineFormat = (line) => {
  const { message, fields, error } = jsonParts(line);
  const { requestId, user, ip, traceId, spanId } = line.context ?? {};
  return jsonLine({
    version: '1.1',
    host: HOST,
    // GELF requires a text that is not empty.
    short_message: message.trim() === '' ? '-' : message,
    full_message: error && `${message}\n${error.trace}`,
    timestamp: line.at / 1000,
    level: SEVERITIES[line.level],
    _level_name: line.level,
    _process_pid: pid,
    _process_thread_name: line.thread,
    _log_logger: line.logger,
    _requestId: requestId,
    _user: user,
    _ip: ip,
    _traceId: traceId,
    _spanId: spanId,
    _error_type: error?.first.type,
    _error_message: error?.first.message,
    _error_stack_trace: error?.trace,
    ...Object.fromEntries(fields.map(([name, value]) => [fieldName(name), scalar(value)])),
  });
};

function fieldName(name: string): string {
  const safe = `_${name.replaceAll(NAME_UNSAFE, '_')}`;
  return OWN.has(safe) ? `_field${safe}` : safe;
}

/** Graylog accepts only texts and numbers. */
function scalar(value: unknown): string | number {
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}
