import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Configuration, ConfigurationInputs } from '../../config/configuration.js';
import { charsetNamed } from '../../kernel/encoding/charset.js';
import { type LogSetup, logSetup } from '../server/log-setup.js';
import { appendLines } from '../../observability/logging/file/append-lines.js';
import { Batch } from '../../observability/logging/file/batch.js';
import { formatLine } from '../../observability/logging/appenders.js';
import { lineFormat } from '../../observability/logging/format/line-format.js';
import type { LogLine } from '../../observability/logging/log-line.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { LoggingPatternProperties } from '../../observability/logging/logging.properties.js';

/** Name of the logger of security events; a command logs nothing else. */
const LOGGED = 'events';

/**
 * The log of one command: appends its security events to the log file of the service if there is one, otherwise writes
 * them to standard error. Only the service creates and rotates the file.
 */
export class CommandLog {
  readonly loggers = new Loggers([{ append: (line) => void this.lines.push(line) }]);
  private readonly lines: LogLine[] = [];
  private readonly setup: LogSetup;

  /** @throws ConfigurationFailure if `logging.config` cannot be used, before the command changes anything */
  constructor(
    configuration: Configuration,
    inputs: ConfigurationInputs,
    private readonly writeError: (text: string) => void,
  ) {
    this.setup = logSetup(configuration, inputs);
  }

  /** Never throws for an unusable file, because the change of the command is done. */
  async close(): Promise<void> {
    const lines = this.lines.filter(({ logger }) => logger === LOGGED);
    if (lines.length === 0) return;
    const { console, file } = this.setup;
    if (file && isThere(file.file)) {
      const charset = charsetNamed(file.form.charset);
      const batch = new Batch({ file: resolve(file.file), day: '', charset });
      const format = lineFormat(file.form, { hasColor: false });
      for (const line of lines) batch.add(formatLine(format, line));
      const { error } = await appendLines(resolve(file.file), batch, { mayBeTorn: true });
      if (error === undefined) return;
    }
    const form = console ?? { pattern: new LoggingPatternProperties().console, charset: 'UTF-8' };
    const format = lineFormat(form, { hasColor: false });
    for (const line of lines) this.writeError(formatLine(format, line));
  }
}

/** True if the file exists and the user of the command has access. */
function isThere(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
