import { type BigIntStats, statSync, unwatchFile, watchFile } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Interval between checks of the files. */
const INTERVAL_MILLIS = 1000;
/**
 * Time without changes before a reload: a certificate and its key are rarely replaced at the same moment, and both must
 * be complete.
 */
const QUIET_MILLIS = 1500;

/**
 * Calls back some time after the last change of the files; the returned function stops that. Polling the path finds
 * every kind of change: a file that is rewritten or replaced, a changed link such as mounted secrets of Kubernetes
 * (`..data`), and changes on network file systems, which send no notification.
 */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isWatched = true;
  const changed = (): void => {
    clearTimeout(timer);
    if (isWatched) timer = setTimeout(onChange, QUIET_MILLIS).unref();
  };
  const found = files.map((file) => versionOf(statSync(file, { bigint: true, throwIfNoEntry: false })));
  for (const file of files) watchFile(file, { interval: INTERVAL_MILLIS, persistent: false }, changed);
  // The watch compares with what it finds at some later moment, and would miss a change before that.
  const check = setTimeout(() => {
    for (const [index, file] of files.entries()) {
      void stat(file, { bigint: true }).then(
        (now) => versionOf(now) !== found[index] && changed(),
        () => found[index] !== undefined && changed(),
      );
    }
  }, INTERVAL_MILLIS).unref();
  return () => {
    isWatched = false;
    clearTimeout(check);
    clearTimeout(timer);
    for (const file of files) unwatchFile(file, changed);
  };
}

/** Version of a file, which every change of the file changes; undefined for a missing file. */
function versionOf(stats: BigIntStats | undefined): string | undefined {
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
