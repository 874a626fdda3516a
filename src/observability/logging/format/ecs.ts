import { pid } from 'node:process';
import { jsonLine, jsonParts } from './json-line.js';
import type { LineFormat } from '../log-line.js';

/** Version of the Elastic Common Schema. */
const VERSION = '8.11';
const SERVICE = 'login-service';

/** Formats a line in the Elastic Common Schema; its fields become `labels`. */
export const ecs: LineFormat = (line) => {
  const { message, fields, error } = jsonParts(line);
  const { requestId, user, ip, traceId, spanId } = line.context ?? {};
  return jsonLine({
    '@timestamp': new Date(line.at).toISOString(),
    log: { level: line.level, logger: line.logger },
    process: { pid, thread: { name: line.thread } },
    service: { name: SERVICE },
    message,
    // JSON omits undefined members.
    http: requestId === undefined ? undefined : { request: { id: requestId } },
    user: user === undefined ? undefined : { id: user },
    client: ip === undefined ? undefined : { ip },
    trace: traceId === undefined ? undefined : { id: traceId },
    span: spanId === undefined ? undefined : { id: spanId },
    error: error && { type: error.first.type, message: error.first.message, stack_trace: error.trace },
    labels: fields.length > 0 ? Object.fromEntries(fields) : undefined,
    ecs: { version: VERSION },
  });
};
