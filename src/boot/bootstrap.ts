import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountCreation } from '../account/account-creation.service.js';
import { AppModule, type Instruments } from '../app.module.js';
import {
  type Configuration,
  type ConfigurationInputs,
  configurationOf,
  type ConfigurationReading,
  readConfiguration,
} from '../config/configuration.js';
import { failureReport } from '../config/show/failure-report.js';
import { ConfigurationFailure, lineOf, type Problem } from '../config/problem.js';
import { processInputs, setProcessTimeZone } from '../config/read/process-inputs.js';
import type { RuleFinding } from '../config/check/rule.js';
import { UserProperties } from '../config/config.properties.js';
import { checkRules } from './configuration-rules.js';
import { registerWithConsole } from './console-registration.js';
import { Availability } from '../health/availability.js';
import { Listeners } from './listeners.js';
import { Logging } from './logging.js';
import { HealthPaths } from '../management/health/health-paths.listener.js';
import { ManagementListener } from '../management/dispatch/management.listener.js';
import { MountedRoutes } from '../management/dispatch/mounted-routes.js';
import { MetricsCompatProperties, RecordingProperties } from '../management/management.properties.js';
import { ShutdownTrigger } from '../management/shutdown.endpoint.js';
import { ProcessWatch } from '../metrics/process-watch.js';
import { PROPERTIES } from './properties.js';
import { HttpExchanges } from '../http/records/http-exchanges.js';
import type { Listener } from '../http/listener.js';
import { LifecycleProperties, ServerProperties } from '../http/server.properties.js';
import { type ShutdownParts, shutDown } from '../http/shutdown/shutdown.js';
import { analyzeFailure } from './failure-analysis.js';
import { StartInterrupted, type ShutdownSignals } from './shutdown-signals.js';

/** Logger for startup and shutdown. */
const START = 'start';
/** Limit in milliseconds for writing the last lines. */
const LAST_LINES_MILLIS = 2000;

/** Result of a startup. */
export type StartupOutcome =
  | {
      readonly kind: 'started';
      readonly logs: Logging;
      /** A text to print once, if the first startup creates the initial administrator. */
      readonly firstUser: Promise<string | undefined>;
    }
  | { readonly kind: 'failed'; readonly report: string }
  /** Stopped by a signal; `isTold` is false if there was no log yet. */
  | { readonly kind: 'stopped'; readonly isTold: boolean };

/** Reads the configuration, builds the service and opens its listeners; nothing stays open unless it has started. */
export async function bootstrap(signals: ShutdownSignals): Promise<StartupOutcome> {
  let logs: Logging | undefined;
  try {
    const inputs = processInputs();
    const reading = readConfiguration(PROPERTIES, inputs);
    const warnings = await validate(reading, inputs);
    const configuration = configurationOf(reading);
    setProcessTimeZone(configuration.get(UserProperties).timezone);
    logs = await Logging.open(configuration, inputs);
    logs.installCrashHandler();
    const log = logs.loggers.get(START);
    signals.setReporter((line) => {
      log.info(line);
    });
    for (const warning of warnings) log.warn(warning);
    return { kind: 'started', logs, ...(await open(configuration, logs, signals)) };
  } catch (error) {
    if (error instanceof StartInterrupted) {
      logs?.loggers.get(START).info('Stopped');
      await logs?.close(LAST_LINES_MILLIS);
      return { kind: 'stopped', isTold: logs !== undefined };
    }
    await logs?.close(LAST_LINES_MILLIS);
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { kind: 'failed', report: failureReport(error.problems) };
  }
}

/**
 * Everything that is wrong with the configuration, in one failure; what does not stop the start is lines of it. Faults stop
 * every start and breaches of the rules one with profile `prod`.
 */
async function validate(reading: ConfigurationReading, inputs: ConfigurationInputs): Promise<readonly string[]> {
  const findings = await checkRules(reading, inputs);
  const isProd = isProduction(reading);
  const problems = findings.flatMap((finding): readonly Problem[] => {
    if (finding.severity === 'fault') return [finding];
    return finding.severity === 'breach' && isProd ? [brokenRuleProblem(finding)] : [];
  });
  if (reading.problems.length + problems.length > 0) {
    throw new ConfigurationFailure([...reading.problems, ...problems]);
  }
  return [...reading.warnings, ...findings.map((finding) => `Configuration rule ${finding.rule}: ${lineOf(finding)}`)];
}

function brokenRuleProblem({ rule, what, facts, action }: RuleFinding): Problem {
  return {
    what: `Configuration rule ${rule} is broken: ${what}`,
    facts,
    action: `${action} With profile prod the rules must hold.`,
  };
}

type Opened = Pick<Extract<StartupOutcome, { kind: 'started' }>, 'firstUser'>;

async function open(configuration: Configuration, logs: Logging, signals: ShutdownSignals): Promise<Opened> {
  signals.check();
  const { loggers, levels, meters } = logs;
  const log = loggers.get(START);
  const { enabled, include } = configuration.get(RecordingProperties);
  const exchanges = new HttpExchanges(enabled ? new Set(include) : undefined);
  const listeners = await Listeners.create(configuration, { loggers, meters, exchanges });
  const { main, management } = listeners;
  for (const warning of listeners.warnings) log.warn(warning);
  const watching = { loggers, levels, meters, exchanges, logFile: logs.logFile };
  const app = await create(configuration, main, watching);
  const watch = new ProcessWatch(meters, { hasJvmNames: configuration.get(MetricsCompatProperties).jvmNames });
  const closeRest = async (): Promise<void> => {
    watch.stop();
    try {
      await app.close();
    } finally {
      await listeners.end();
    }
  };
  try {
    signals.check();
    const endpoints = app.get(ManagementListener);
    if (listeners.hasManagement) {
      const mounted = app.get(MountedRoutes);
      const mainRoutes = mounted.recording(main.routes);
      const managementRoutes = management === main ? mainRoutes : mounted.recording(management.routes);
      endpoints.mount(managementRoutes);
      app.get(HealthPaths).mount(mainRoutes, managementRoutes);
    }
    await app.init();
    signals.check();
    const accounts = app.get(AccountCreation);
    const availability = app.get(Availability);
    // Checked before the first request; the user is created after the listener is open, since a hash takes time.
    const isFirstStart = !isProduction(configuration) && (await accounts.isFirstStart());
    availability.started();
    watch.started();
    const lines = await listeners.open(endpoints.basePath);
    signals.check();
    availability.ready();
    watch.ready();
    for (const line of lines) log.info(line);
    const firstUser = isFirstStart ? accounts.firstAdmin() : Promise.resolve(undefined);
    // Not a step of startup, since a signal during it would be lost.
    const registration = registerWithConsole(configuration, app, listeners, endpoints.basePath);
    const { shutdown: mode, shutdownPreDrain: preDrain } = configuration.get(ServerProperties);
    const { timeoutPerShutdownPhase: phaseLimit } = configuration.get(LifecycleProperties);
    signals.onShutdown(() => {
      // In parallel with the requests in progress, which may take longer.
      const isDeregistered = registration.then((begun) => begun?.stop());
      return stop(logs, {
        availability,
        main,
        management,
        mode,
        preDrain,
        phaseLimit,
        closeRest: async () => {
          // Otherwise the password of a user that was just created would be lost.
          await firstUser.catch(() => undefined);
          await isDeregistered;
          await closeRest();
        },
        log,
      });
    });
    app.get(ShutdownTrigger).onShutdown(() => {
      signals.requestStop();
    });
    return { firstUser };
  } catch (error) {
    await Promise.all([main.close(0), management.close(0)]);
    await closeRest();
    throw analyzeFailure(error, configuration);
  }
}

async function stop(logs: Logging, parts: ShutdownParts): Promise<void> {
  try {
    await shutDown(parts);
  } catch (error) {
    parts.log.error('Shutdown failed', { error });
    throw error;
  } finally {
    await logs.close(LAST_LINES_MILLIS);
  }
}

function isProduction({ environment }: Pick<Configuration, 'environment'>): boolean {
  return environment.profiles.active.includes('prod');
}

async function create(configuration: Configuration, main: Listener, watching: Instruments): Promise<INestApplication> {
  try {
    return await NestFactory.create(AppModule.of(configuration, watching), main.adapter, {
      logger: false,
      abortOnError: false,
    });
  } catch (error) {
    throw analyzeFailure(error, configuration);
  }
}
