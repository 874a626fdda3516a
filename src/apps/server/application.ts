import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountCreation } from '../../identity/account/account-creation.service.js';
import { PasswordHasher } from '../../identity/account/password/password-hasher.js';
import { DeviceCookies } from '../../identity/account/throttle/device-cookies.service.js';
import { AppModule, type Instruments } from '../../app.module.js';
import type { Configuration } from '../../config/configuration.js';
import { Availability } from '../../observability/health/availability.js';
import type { Listener } from '../../platform/http/listener.js';
import { HttpExchanges } from '../../platform/http/records/http-exchanges.js';
import { LifecycleProperties, ServerProperties } from '../../platform/http/server.properties.js';
import { shutDown } from '../../platform/http/shutdown/shutdown.js';
import { ManagementListener } from '../../management/dispatch/management.listener.js';
import { MountedRoutes } from '../../management/dispatch/mounted-routes.js';
import { HealthPaths } from '../../management/health/health-paths.listener.js';
import { MetricsCompatProperties, RecordingProperties } from '../../management/management.properties.js';
import { ShutdownTrigger } from '../../management/shutdown.endpoint.js';
import { ThreadDumpEndpoint } from '../../management/threaddump.endpoint.js';
import { PersistenceModule } from '../../platform/persistence/persistence.module.js';
import { ProcessWatch } from '../../observability/metrics/process-watch.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { isProduction } from './configuration-rules.js';
import { registerWithConsole } from './console-registration.js';
import { analyzeFailure } from './failure-analysis.js';
import { Listeners } from './listeners.js';
import type { Logging } from './logging.js';
import { PasswordSignIns } from './password-sign-ins.js';
import type { ProcessSignals } from './process-signals.js';
import { StartupProbes } from './startup-probes.js';
import { closeTracing, openTracing } from './tracing.js';

/** Background work of startup, for which shutdown waits. */
interface AfterStart {
  /** A text to print once, if the first startup creates the initial administrator. */
  readonly firstUser: Promise<string | undefined>;
  readonly registration: ReturnType<typeof registerWithConsole>;
}

/** The application and its listeners, from creation to shutdown. */
export class Application {
  private constructor(
    private readonly configuration: Configuration,
    private readonly logs: Logging,
    private readonly listeners: Listeners,
    private readonly nest: INestApplication,
    private readonly watch: ProcessWatch,
  ) {}

  /** Builds the service; no listener is open yet. @throws ConfigurationFailure if the cause of a failure is known */
  static async create(configuration: Configuration, logs: Logging): Promise<Application> {
    const { loggers, levels, meters, logFile } = logs;
    const { enabled, include } = configuration.get(RecordingProperties);
    const exchanges = new HttpExchanges(enabled ? new Set(include) : undefined);
    const passwords = new PasswordSignIns();
    const listeners = await Listeners.create(configuration, { loggers, meters, exchanges, passwords });
    for (const warning of listeners.warnings) logs.start.warn(warning);
    const nest = await createNest(configuration, listeners.main, {
      loggers,
      levels,
      meters,
      exchanges,
      logFile,
      startupWait: new StartupProbes(configuration, listeners, logs.start),
    });
    passwords.connect(nest.get(PasswordHasher), nest.get(DeviceCookies));
    const watch = new ProcessWatch(meters, { hasJvmNames: configuration.get(MetricsCompatProperties).jvmNames });
    await openTracing(configuration, logs);
    return new Application(configuration, logs, listeners, nest, watch);
  }

  /** Opens the listeners and hands the process over to `signals`; closes everything if it fails or is interrupted. */
  async start(signals: ProcessSignals): Promise<Pick<AfterStart, 'firstUser'>> {
    try {
      signals.check();
      const basePath = this.mountManagement();
      await this.nest.init();
      signals.check();
      const accounts = this.nest.get(AccountCreation);
      // Checked before the first request; the user is created after the listener is open, since a hash takes time.
      const isFirstStart = !isProduction(this.configuration) && (await accounts.isFirstStart());
      await this.open(basePath, signals);
      const firstUser = isFirstStart ? accounts.firstAdmin() : Promise.resolve(undefined);
      // Not a step of startup, since a signal during it would be lost.
      const registration = registerWithConsole(this.configuration, this.nest, this.listeners, basePath);
      signals.onThreadDump(() => this.nest.get(ThreadDumpEndpoint).names);
      signals.onShutdown(() => this.stop({ firstUser, registration }));
      this.nest.get(ShutdownTrigger).onShutdown(() => {
        signals.requestStop();
      });
      return { firstUser };
    } catch (error) {
      const { main, management } = this.listeners;
      await Promise.all([main.close(0), management.close(0)]);
      await this.closeNest();
      throw analyzeFailure(error, this.configuration);
    }
  }

  /** Mounts the management endpoints and returns their base path. */
  private mountManagement(): string {
    const endpoints = this.nest.get(ManagementListener);
    const { main, management, hasManagement } = this.listeners;
    if (hasManagement) {
      const mounted = this.nest.get(MountedRoutes);
      const mainRoutes = mounted.recording(main.routes);
      const managementRoutes = management === main ? mainRoutes : mounted.recording(management.routes);
      endpoints.mount(managementRoutes);
      this.nest.get(HealthPaths).mount(mainRoutes, managementRoutes);
    }
    return endpoints.basePath;
  }

  private async open(basePath: string, signals: ProcessSignals): Promise<void> {
    const availability = this.nest.get(Availability);
    availability.started();
    this.watch.started();
    const lines = await this.listeners.open(basePath);
    signals.check();
    availability.ready(() => this.listeners.main.isServing);
    this.watch.ready();
    for (const line of lines) this.logs.start.info(line);
    // Warms the pool up only now: the first request, which needs one connection, has priority.
    void this.nest.get(PersistenceModule).warmUp();
  }

  private async stop({ firstUser, registration }: AfterStart): Promise<void> {
    // Deregisters while requests in progress end, which may take longer.
    const isDeregistered = registration.then((begun) => begun?.stop());
    const { main, management } = this.listeners;
    const { shutdown: mode, shutdownPreDrain: preDrain } = this.configuration.get(ServerProperties);
    const { timeoutPerShutdownPhase: phaseLimit } = this.configuration.get(LifecycleProperties);
    const closeRest = async (): Promise<void> => {
      // Waits for the first user: otherwise its password would be lost.
      await firstUser.catch(() => undefined);
      await isDeregistered;
      await this.closeNest();
    };
    const availability = this.nest.get(Availability);
    const log = this.logs.start;
    try {
      const unfinishedTasks = (): readonly string[] => this.nest.get(TasksModule).unfinished;
      await shutDown({ availability, main, management, mode, preDrain, phaseLimit, closeRest, unfinishedTasks, log });
    } catch (error) {
      log.error('Shutdown failed', { error });
      throw error;
    } finally {
      await this.logs.close();
    }
  }

  private async closeNest(): Promise<void> {
    this.watch.stop();
    try {
      await this.nest.close();
    } finally {
      await closeTracing();
      await this.listeners.end();
    }
  }
}

async function createNest(
  configuration: Configuration,
  main: Listener,
  instruments: Instruments,
): Promise<INestApplication> {
  try {
    return await NestFactory.create(AppModule.of(configuration, instruments), main.adapter, {
      logger: false,
      abortOnError: false,
    });
  } catch (error) {
    throw analyzeFailure(error, configuration);
  }
}
