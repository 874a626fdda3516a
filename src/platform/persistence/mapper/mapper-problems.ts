import { from, type Problem, problem } from '../../../config/problem.js';
import type { Position } from '../../../config/read/origin.js';

/** The problems of all mapper files; a problem that is found for several engines is reported once. */
export class MapperProblems {
  private readonly found = new Map<string, Problem>();

  /** Adds a defect of a mapper file; `what` is a sentence without a full stop. */
  add(at: Position, what: string, reason?: string): void {
    const facts = { Origin: from(at), Reason: reason };
    this.addProblem(problem(what, 'Correct the mapper file at the position given.', facts));
  }

  addProblem(item: Problem): void {
    this.found.set(JSON.stringify(item), item);
  }

  /** Sorted by file, line and column. */
  get problems(): readonly Problem[] {
    return [...this.found.values()].sort((a, b) => originOf(a).localeCompare(originOf(b), 'en', { numeric: true }));
  }
}

function originOf({ facts }: Problem): string {
  return facts.find(([label]) => label === 'Origin')?.[1] ?? '';
}
