import { DefaultReporter, type TestCase, type TestModule, type TestSuite } from 'vitest/node';
import type { Server } from './binaries.js';

/** Number of slowest files to list, and the minimum time of a listed file in milliseconds. */
const MAX_SLOWEST = 10;
const MIN_SLOW_MILLIS = 1000;

/** The default report, then skipped tests with their reason, the slowest files, and `N passed, N failed` as the last line. */
export class TotalsReporter extends DefaultReporter {
  constructor(
    private readonly servers: readonly Server[],
    private readonly missing: ReadonlySet<Server>,
  ) {
    super();
  }

  override onTestRunEnd(...[modules, errors, reason]: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, errors, reason);
    const { passed, failed, skipped } = totalsOf(modules);
    this.logSkipped('not on this machine', skipped, [...this.missing]);
    this.logSkipped(
      'left out of this run',
      skipped.filter((test) => !test.tags.some((tag) => this.missing.has(tag as Server))),
      this.servers,
    );
    const timed = modules.map((module) => ({ file: module.relativeModuleId, millis: module.diagnostic().duration }));
    for (const line of slowestFiles(timed)) this.log(line);
    const wrong = process.env['REQUIRE_SERVERS'] === '1' ? skipped.filter((test) => !this.maySkip(test)) : [];
    if (wrong.length > 0) {
      this.log(`REQUIRE_SERVERS=1: ${tests(wrong.length)} skipped, which counts as failed`);
      process.exitCode = 1;
    }
    const allFailed = failed + errors.length + wrong.length;
    // An error outside the tests fails the run too.
    const counted = reason === 'passed' ? allFailed : Math.max(allFailed, 1);
    const rest = skipped.length - wrong.length;
    this.log(`${passed} passed, ${counted} failed${rest > 0 ? `, ${rest} skipped` : ''}`);
  }

  /** True for a test that the caller left out: `HIDE_SERVERS=1` those that need a server, a filter of tags all others. */
  private maySkip({ tags }: TestCase): boolean {
    const needsServer = this.servers.some((server) => tags.includes(server));
    return needsServer ? process.env['HIDE_SERVERS'] === '1' : this.ctx.config.tagsFilter !== undefined;
  }

  private logSkipped(why: string, skipped: readonly TestCase[], servers: readonly Server[]): void {
    const named = servers.flatMap((server) => {
      const count = skipped.filter((test) => test.tags.includes(server)).length;
      return count === 0 ? [] : [`${server} (${tests(count)})`];
    });
    if (named.length > 0) this.log(`skipped, ${why}: ${named.join(', ')}`);
  }
}

export interface TimedFile {
  readonly file: string;
  readonly millis: number;
}

/** Lines about the slowest files, slowest first; empty if every file was fast. */
export function slowestFiles(files: readonly TimedFile[]): readonly string[] {
  const slowest = files
    .filter(({ millis }) => millis >= MIN_SLOW_MILLIS)
    .toSorted((one, other) => other.millis - one.millis)
    .slice(0, MAX_SLOWEST);
  if (slowest.length === 0) return [];
  return [
    'slowest files:',
    ...slowest.map(({ file, millis }) => `${(millis / 1000).toFixed(1).padStart(7)} s  ${file}`),
  ];
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly TestCase[];
}

/** A file that fails to load and a suite with a failing hook count as one failure each, in addition to their failed tests. */
function totalsOf(modules: readonly TestModule[]): Totals {
  const cases = modules.flatMap((module) => [...module.children.allTests()]);
  const containers: (TestModule | TestSuite)[] = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  return {
    passed: cases.filter((test) => test.result().state === 'passed').length,
    failed:
      cases.filter((test) => test.result().state === 'failed').length +
      containers.filter((container) => container.errors().length > 0).length,
    // A test with a condition of its own, deep in a skipped suite, keeps waiting.
    skipped: cases.filter((test) => ['skipped', 'pending'].includes(test.result().state)),
  };
}

function tests(count: number): string {
  return count === 1 ? '1 test' : `${count} tests`;
}
