import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes, then those that start programs; whatever is left takes seconds. */
const SLOW = [/\/chaos\/|\/races/, /\/(?:e2e|browser|persistence)\//];

/**
 * Without times of an earlier run, Vitest begins with the largest files. A small one that takes minutes would come last,
 * and keep one worker busy while the others have nothing left to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW.findIndex((form) => form.test(moduleId));
  return rank === -1 ? SLOW.length : rank;
}
