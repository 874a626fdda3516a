import { jsonLine, jsonParts } from './json-line.js';
import type { LineLevel } from '../level.js';
import type { LineFormat } from '../log-line.js';

/** Numeric values of levels in JVM logging engines. */
const VALUES: Readonly<Record<LineLevel, number>> = {
  ERROR: 40_000,
  WARN: 30_000,
  INFO: 20_000,
  DEBUG: 10_000,
  TRACE: 5000,
};
const OWN = new Set([
  ...['@timestamp', '@version', 'message', 'logger_name', 'thread_name', 'level', 'level_value', 'stack_trace', 'tags'],
  ...['requestId', 'user', 'ip', 'traceId', 'spanId'],
]);

/** Formats a line for Logstash; context and fields become members beside those of the format. */
export const logstash: LineFormat = (line) => {
  const { message, fields, error } = jsonParts(line);
  const { requestId, user, ip, traceId, spanId } = line.context ?? {};
  return jsonLine({
    '@timestamp': new Date(line.at).toISOString(),
    '@version': '1',
    message,
    logger_name: line.logger,
    thread_name: line.thread,
    level: line.level,
    level_value: VALUES[line.level],
    requestId,
    user,
    ip,
    traceId,
    spanId,
    ...Object.fromEntries(fields.map(([name, value]) => [OWN.has(name) ? `field_${name}` : name, value])),
    stack_trace: error?.trace,
  });
};
