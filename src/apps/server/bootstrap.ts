import 'reflect-metadata';
import { UserProperties } from '../../config/config.properties.js';
import { configurationOf } from '../../config/configuration.js';
import { ConfigurationFailure } from '../../config/problem.js';
import { processInputs, setProcessTimeZone } from '../../config/read/process-inputs.js';
import { failureReport } from '../../config/show/failure-report.js';
import { validate } from './configuration-rules.js';
import { Logging } from './logging.js';
import { Application } from './application.js';
import { type ProcessSignals, StartInterrupted } from './process-signals.js';
import { startLine } from './process-target.js';
import type { RuntimeOutput } from './runtime-output.js';
import { readServiceConfiguration } from './service-configuration.js';

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
  | { readonly kind: 'stopped'; readonly isReported: boolean };

/** Reads the configuration, builds the service and opens its listeners; nothing stays open unless it has started. */
export async function bootstrap(signals: ProcessSignals, output: RuntimeOutput): Promise<StartupOutcome> {
  let logs: Logging | undefined;
  try {
    const inputs = processInputs();
    const reading = readServiceConfiguration(inputs);
    const warnings = await validate(reading, inputs);
    const configuration = configurationOf(reading);
    setProcessTimeZone(configuration.get(UserProperties).timezone);
    logs = await Logging.open(configuration, inputs);
    logs.installCrashHandler();
    const log = logs.start;
    log.info(startLine(configuration));
    signals.setReporter((line) => {
      log.info(line);
    });
    const runtime = logs.loggers.get('runtime');
    output.setReporter((level, text) => {
      runtime[level](text);
    });
    for (const warning of warnings) log.warn(warning);
    signals.check();
    const application = await Application.create(configuration, logs);
    return { kind: 'started', logs, ...(await application.start(signals)) };
  } catch (error) {
    if (error instanceof StartInterrupted) {
      logs?.start.info('Stopped');
      await logs?.close();
      return { kind: 'stopped', isReported: logs !== undefined };
    }
    await logs?.close();
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { kind: 'failed', report: failureReport(error.problems) };
  }
}
