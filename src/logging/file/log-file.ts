/** Where the log is written besides the console, for those who show it. */
export class LogFile {
  constructor(
    /** Absolute; undefined where there is no file. */
    readonly path?: string,
    /** Name of its character set. */
    readonly charset = 'UTF-8',
  ) {}
}
