/** Where the log is written besides the console, for those who show it. */
export class LogFile {
  /** Absolute; undefined where there is no file. */
  constructor(readonly path: string | undefined) {}
}
