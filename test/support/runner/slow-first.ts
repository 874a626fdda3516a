import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes, then files that start programs; all others take seconds. */
const SLOW = [/[.]chaos-spec|\/races/, /[.](?:e2e|browser)-spec|\/persistence\//];

/**
 * Without times of an earlier run, Vitest begins with the largest files. A small but slow file would then come last and
 * keep one worker busy while the others are idle.
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
