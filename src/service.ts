import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountCreation } from './account/account-creation.service.js';
import { AppModule, type Watching } from './app.module.js';
import { type Configuration, type ConfigurationInputs, loadConfiguration } from './config/configuration.js';
import { failureReport, printable } from './config/failure-report.js';
import { ConfigurationFailure, problem } from './config/problem.js';
import { processInputs, setProcessTimeZone } from './config/process-inputs.js';
import { UserProperties } from './config/user.properties.js';
import { checkRules } from './configuration-rules.js';
import { Availability } from './health/availability.js';
import { Listeners } from './listeners.js';
import { LineMeters } from './logging/line-meters.js';
import { Loggers } from './logging/loggers.js';
import { HealthPaths } from './management/health/health-paths.listener.js';
import { RecordingProperties } from './management/httpexchanges/recording.properties.js';
import { ManagementListener } from './management/management.listener.js';
import { MountedRoutes } from './management/mappings/mounted-routes.js';
import { Stopper } from './management/shutdown/stopper.js';
import { Meters } from './metrics/meters.js';
import { ProcessWatch } from './metrics/process-watch.js';
import { PROPERTIES } from './properties.js';
import { HttpExchanges } from './server/exchanges/http-exchanges.js';
import type { Listener } from './server/listener.js';
import { ServerProperties } from './server/server.properties.js';
import { LifecycleProperties } from './server/shutdown/lifecycle.properties.js';
import { shutDown } from './server/shutdown/shutdown.js';
import { startProblem } from './start-problem.js';
import { StartStopped, type StopSignals } from './stop-signals.js';

/** How a start ended. */
export type Start =
  | {
      readonly kind: 'started';
      readonly lines: readonly string[];
      readonly warnings: readonly string[];
      /** A line to be printed once, where the first start makes the first user. */
      readonly firstUser: Promise<string | undefined>;
    }
  | { readonly kind: 'failed'; readonly report: string }
  /** By a signal. */
  | { readonly kind: 'stopped' };

/** Reads the configuration, builds the service and opens its listeners; nothing stays open unless it has started. */
export async function startService(signals: StopSignals): Promise<Start> {
  try {
    const inputs = processInputs();
    const configuration = loadConfiguration(PROPERTIES, inputs);
    const warnings = [...configuration.warnings, ...judgedRules(configuration, inputs)];
    setProcessTimeZone(configuration.get(UserProperties).timezone);
    const opened = await open(configuration, signals);
    return { kind: 'started', ...opened, warnings: [...warnings, ...opened.warnings] };
  } catch (error) {
    if (error instanceof StartStopped) return { kind: 'stopped' };
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { kind: 'failed', report: failureReport(error.problems) };
  }
}

/** Faults stop every start and breaches one with profile `prod`; the rest are lines of the start. */
function judgedRules(configuration: Configuration, inputs: ConfigurationInputs): readonly string[] {
  const findings = checkRules(configuration, inputs);
  const isProd = isProduction(configuration);
  const stopping = findings.filter(({ severity }) => severity === 'fault' || (severity === 'breach' && isProd));
  if (stopping.length > 0) {
    throw new ConfigurationFailure(
      stopping.map(({ rule, severity, text }) =>
        problem(
          `Configuration rule ${rule} is broken: ${text}`,
          severity === 'fault' ? 'Correct it.' : 'Correct it: with profile prod the rules must hold.',
        ),
      ),
    );
  }
  return findings.map(({ rule, text }) => printable(`Configuration rule ${rule}: ${text}`));
}

interface Opened {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly firstUser: Promise<string | undefined>;
}

async function open(configuration: Configuration, signals: StopSignals): Promise<Opened> {
  signals.check();
  const meters = new Meters();
  const loggers = new Loggers([new LineMeters(meters)]);
  const { enabled, include } = configuration.get(RecordingProperties);
  const exchanges = new HttpExchanges(enabled ? new Set(include) : undefined);
  const listeners = await Listeners.make(configuration, { meters, exchanges });
  const { main, management } = listeners;
  const app = await create(configuration, main, { loggers, meters, exchanges });
  const watch = new ProcessWatch(meters);
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
      endpoints.mount(mounted.noting(management.routes));
      app.get(HealthPaths).mount(mounted.noting(main.routes), mounted.noting(management.routes));
    }
    await app.init();
    signals.check();
    const accounts = app.get(AccountCreation);
    const availability = app.get(Availability);
    // Asked before the first request, made after the listener is open: a hash takes time.
    const isFirstStart = !isProduction(configuration) && (await accounts.isFirstStart());
    availability.started();
    watch.started();
    const lines = await listeners.open(endpoints.basePath);
    signals.check();
    availability.ready();
    watch.ready();
    const firstUser = isFirstStart ? accounts.firstAdmin() : Promise.resolve(undefined);
    const { shutdown: mode, shutdownPreDrain: preDrain } = configuration.get(ServerProperties);
    const { timeoutPerShutdownPhase: phaseLimit } = configuration.get(LifecycleProperties);
    signals.heed(() =>
      shutDown({
        availability,
        main,
        management,
        mode,
        preDrain,
        phaseLimit,
        closeRest: async () => {
          // Made and never told, its password would be lost.
          await firstUser.catch(() => undefined);
          await closeRest();
        },
        say: (line) => void process.stdout.write(`${line}\n`),
        warn: (line) => void process.stderr.write(`WARN  ${line}\n`),
      }),
    );
    app.get(Stopper).heed(() => {
      signals.ask();
    });
    return { lines, warnings: listeners.warnings, firstUser };
  } catch (error) {
    await Promise.all([main.close(0), management.close(0)]);
    await closeRest();
    throw startProblem(error, configuration);
  }
}

function isProduction({ environment }: Configuration): boolean {
  return environment.profiles.active.includes('prod');
}

async function create(configuration: Configuration, main: Listener, watching: Watching): Promise<INestApplication> {
  try {
    return await NestFactory.create(AppModule.of(configuration, watching), main.adapter, {
      logger: false,
      abortOnError: false,
    });
  } catch (error) {
    throw startProblem(error, configuration);
  }
}
