import type { INestApplication } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Configuration } from '../../config/configuration.js';
import type { Listeners } from './listeners.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { EndpointRegistry } from '../../management/dispatch/endpoint-registry.service.js';
import { ConsoleClientProperties, ConsoleInstanceProperties } from '../../management/console/console.properties.js';
import type { ConsoleRegistration } from '../../management/console/registration.task.js';
import { Meters } from '../../observability/metrics/meters.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';

/**
 * Starts the registration with the console, if one is configured. The listeners must be open; `basePath` is that of the
 * management endpoints.
 */
export async function registerWithConsole(
  configuration: Configuration,
  app: INestApplication,
  listeners: Listeners,
  basePath: string,
): Promise<ConsoleRegistration | undefined> {
  const { url: urls, username, password, period } = configuration.get(ConsoleClientProperties);
  if (urls.length === 0) return undefined;
  const logger = app.get(Loggers).get('management.console');
  const management = listeners.managementUrl(basePath);
  if (management === undefined) {
    logger.warn('app.boot.admin.client.url has no effect: there are no management endpoints');
    return undefined;
  }
  const [{ ConsoleClient }, { describeInstance }, { ConsoleRegistration }, { OutboundHttp }] = await Promise.all([
    import('../../management/console/console.client.js'),
    import('../../management/console/instance.js'),
    import('../../management/console/registration.task.js'),
    import('../../platform/outbound/outbound-http.service.js'),
  ]);
  const credentials = username !== undefined && password !== undefined ? { username, password } : undefined;
  const healthSegment = app.get(EndpointRegistry).find('health')?.segment ?? 'health';
  const known = { management, service: listeners.serviceUrl, healthSegment };
  const http = OutboundHttp.of(configuration, app.get(Meters), app.get(Loggers));
  const parts = {
    clients: urls.map((url) => new ConsoleClient(http, url, credentials)),
    instance: describeInstance(configuration.get(ConsoleInstanceProperties), known, app.get(Clock).millis()),
    periodMillis: period.milliseconds,
    logger,
  };
  return new ConsoleRegistration(parts, app.get(ScheduledTasks));
}
