import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format } from 'node:util';

type OutputLevel = 'info' | 'warn' | 'error';
type Report = (level: OutputLevel, text: string) => void;

/** Methods of the console with a level of their own; the others use the two streams of a console. */
const METHODS: Readonly<Record<string, OutputLevel>> = {
  debug: 'info',
  error: 'error',
  info: 'info',
  log: 'info',
  trace: 'info',
  warn: 'warn',
};

/**
 * Reports warnings of Node (`process.emitWarning`) and what libraries write to the console, which would appear between the log
 * lines without their format and their masking. Before the log is open, they wait.
 */
export class RuntimeOutput {
  private readonly waiting: (readonly [OutputLevel, string])[] = [];
  private report: Report = (level, text) => void this.waiting.push([level, text]);

  listen(): void {
    process.removeAllListeners('warning');
    process.on('warning', ({ name, message }) => {
      this.report('warn', `${name}: ${message}`);
    });
    // Methods such as `dir`, `table` and `timeEnd` format their texts themselves, and a console prints them to its
    // streams.
    Object.assign(console, new Console({ stdout: this.streamOf('info'), stderr: this.streamOf('warn') }));
    for (const [method, level] of Object.entries(METHODS)) {
      Object.assign(console, {
        [method]: (...values: unknown[]) => {
          this.report(level, format(...values));
        },
      });
    }
  }

  private streamOf(level: OutputLevel): Writable {
    return new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        this.report(level, text.replace(/\n$/, ''));
        done();
      },
    });
  }

  /** Sets the reporter, which also gets the outputs that wait. */
  setReporter(report: Report): void {
    this.report = report;
    for (const [level, text] of this.waiting.splice(0)) report(level, text);
  }
}
